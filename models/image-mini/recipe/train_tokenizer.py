"""Trains the tokenizer: lower case, byte-level BPE, words in quotes letter by letter, the chat template in two tokens."""
import argparse
import json
from pathlib import Path

import numpy as np
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from captions import say_combination, say_edit, say_scene
from tasks import random_combination, random_pair, random_scene

PAD, BEFORE, AFTER = "<|endoftext|>", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
# A character with an odd number of quotes behind it stands between two.
SPLIT = r'[^"](?=[^"]*"(?:[^"]*"[^"]*")*[^"]*$)| ?\p{L}+| ?\p{N}|[^\p{L}\p{N}\s]|\s'


def corpus(data):
    rng = np.random.default_rng(0)
    for _ in range(20000):
        yield say_scene(rng, random_scene(rng))
        *_, facts, kind = random_pair(rng)
        yield say_edit(rng, kind, facts)
        yield say_combination(rng, random_combination(rng)[-1])
    for line in (data / "index.jsonl").read_text().splitlines():
        row = json.loads(line)
        for words in [row["name"], *row["keywords"]]:
            yield f"{words} {words}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--vocab", type=int, default=2048)
    args = parser.parse_args()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
         pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=args.vocab - 3, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), min_frequency=2, show_progress=False)
    tokenizer.train_from_iterator(corpus(args.data), trainer)
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in (PAD, BEFORE, AFTER)])
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out / "tokenizer.json"), pretty=False)
    print(f"{tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
