"""Trains the byte-level BPE tokenizer of decide-mini on the same mixture the model learns from.

Digits are single tokens, so numbers are read digit by digit. The structural tokens are added tokens: the run time encodes
user text without them, so that no text can produce one.
"""
import argparse
import json
import lzma
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

STRUCTURE = ["<pad>", "<state>", "<noul>", "<choice>", "<score>", "<option>", "</option>", "<decide>"]
# Qwen's split pattern: contractions, words with one leading mark, single digits, punctuation runs, line ends.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def decision_texts(path, every):
    with lzma.open(path, "rt") as lines:
        for number, line in enumerate(lines):
            if number % every:
                continue
            row = json.loads(line)
            state = row["state"]
            yield state if isinstance(state, str) else json.dumps(state, ensure_ascii=False, separators=(",", ":"))
            for question in row["questions"]:
                yield question["instructions"]
                criteria = question.get("criteria")
                for text in criteria if isinstance(criteria, list) else (criteria or {}).values():
                    if isinstance(text, str):
                        yield text


def prose(path, every):
    with lzma.open(path, "rt") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield line


def corpus(data):
    for path in sorted(data.glob("decisions-train-0*.jsonl.xz")):
        yield from decision_texts(path, 4)
    yield from decision_texts(data / "decisions-procedural-00.jsonl.xz", 8)
    yield from prose(data / "pretrain-wiki-00.txt.xz", 8)
    yield from prose(data / "pretrain-docs-00.txt.xz", 6)
    yield from prose(data / "pretrain-dialogue-00.txt.xz", 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="folder with the text data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--vocab", type=int, default=24576)
    args = parser.parse_args()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=args.vocab - len(STRUCTURE),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(args.data), trainer)
    tokenizer.add_special_tokens(STRUCTURE)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out / "tokenizer.json"), pretty=False)
    print(f"{tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
