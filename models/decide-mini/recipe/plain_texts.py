"""Plain text as documents of sentences, with what questions about it are made from: titles, kinds of things, words by frequency."""
import argparse
import lzma
import re
from collections import Counter
from pathlib import Path

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])|\n+")
KIND = re.compile(r"^.{2,60}? (?:is|was|are|were) (an? (?:[\w-]+ ){0,3}?[\w-]+)(?= (?:of|in|that|which|who|by|from|for|and|on|at|to|with)\b|[,.;(])")
WORD = re.compile(r"[A-Za-z]{3,}")


class Texts:
    """Documents of one file as lists of sentences, a title where the first line is one."""

    def __init__(self, path, limit):
        self.documents, self.titles = [], []
        counts = Counter()
        for document in lzma.open(path, "rt").read(limit).split("<|doc|>")[:-1]:
            lines = document.strip().split("\n", 1)
            titled = len(lines) == 2 and len(lines[0]) < 60 and lines[0][-1:] not in ".?!:" and ": " not in lines[0]
            sentences = [s.strip() for s in SENTENCE.split(lines[1] if titled else document) if 5 <= len(s.split()) <= 28]
            if len(sentences) >= 4:
                self.documents.append(sentences)
                self.titles.append(lines[0] if titled else None)
                counts.update(word for sentence in sentences for word in WORD.findall(sentence))
        self.words = [word for word, count in counts.most_common(30000) if count > 3]
        self.rank = {word: place for place, word in enumerate(self.words)}
        self.stems = {}
        for word in self.words:
            self.stems.setdefault(word[:4].lower(), []).append(word)
        self.kinds = [None if not (found := KIND.match(document[0])) else found[1] for document in self.documents]


def text_arguments(rows, limit):
    """The command line of a program that makes so many rows of questions from plain texts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=rows)
    parser.add_argument("--limit", type=int, default=limit, help="characters read of every file")
    return parser


def text_files(data):
    return sorted(data.glob("pretrain-*.txt.xz"))
