"""Warm start of the token embeddings: shifted positive PMI of tokens within four places, reduced by a randomised SVD.

Co-occurrence over tens of millions of tokens is counted in two minutes, where a CPU has no time for a language model, and gives unseen
words a meaning near their neighbours' (Levy & Goldberg 2014, "Neural word embedding as implicit matrix factorization").
"""
import argparse
import lzma
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from train_tokenizer import decision_texts

REACH = 4


def texts(data):
    for path in sorted(data.glob("pretrain-*.txt.xz")):
        if "books" in path.name:
            continue
        with lzma.open(path, "rt") as lines:
            yield from (line.strip() for line in lines if len(line) > 3)
    for path in sorted(data.glob("decisions-train-0*.jsonl.xz")):
        yield from decision_texts(path, 1)


def batches(source, size):
    batch = []
    for text in source:
        batch.append(text)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def count(data, tokenizer, vocab, limit):
    """Symmetric co-occurrence counts [vocab, vocab], nearer pairs counting more (1/distance)."""
    counts, seen = np.zeros(vocab * vocab, np.float32), 0
    for batch in batches(texts(data), 20000):
        gap = [0] * REACH
        ids = []
        for encoding in tokenizer.encode_batch(batch, add_special_tokens=False):
            ids += encoding.ids
            ids += gap
        line = np.array(ids, np.int64)
        for distance in range(1, REACH + 1):
            pairs = line[:-distance] * vocab + line[distance:]
            np.add.at(counts, pairs, np.float32(1 / distance))
        seen += len(line)
        if seen >= limit:
            break
    counts = counts.reshape(vocab, vocab)
    print(f"{seen} tokens counted", flush=True)
    return torch.from_numpy(counts)


def reduce(counts, dim):
    counts += counts.T.clone()
    counts[0, :] = 0
    counts[:, 0] = 0
    total = counts.sum(1)
    smoothed = total**0.75
    smoothed *= total.sum() / smoothed.sum()
    # log(count * N / (row * column)), shifted by log 2 and cut at zero, in place: the matrix is gigabytes
    counts *= total.sum()
    counts /= total.clamp(min=1).unsqueeze(1)
    counts /= smoothed.clamp(min=1).unsqueeze(0)
    counts.clamp_(min=2).log_().sub_(float(np.log(2)))
    torch.manual_seed(0)
    basis = torch.randn(counts.shape[0], dim + 32)
    for _ in range(3):
        basis, _ = torch.linalg.qr(counts @ (counts.T @ basis))
    _, values, right = torch.linalg.svd(basis.T @ counts, full_matrices=False)
    vectors = right[:dim].T * values[:dim] ** 0.5
    vectors -= vectors.mean(0)
    vectors /= vectors.pow(2).mean().sqrt()
    # tokens never seen, the structural ones above all, must differ from each other from the start
    unseen = total == 0
    vectors[unseen] = torch.randn(int(unseen.sum()), dim)
    return vectors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=60_000_000)
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    vocab = tokenizer.get_vocab_size()
    vectors = reduce(count(args.data, tokenizer, vocab, args.tokens), args.dim)
    np.save(args.out, vectors.numpy())
    rows = torch.nn.functional.normalize(vectors, dim=1)
    for word in (" happy", " invoice", " refund", " Monday", "not", " angry", "3"):
        token = tokenizer.encode(word, add_special_tokens=False).ids[0]
        near = (rows @ rows[token]).topk(8).indices.tolist()
        print(word, [tokenizer.id_to_token(i).replace("Ġ", " ") for i in near])


if __name__ == "__main__":
    main()
