"""Samples, augments, tokenises and packs decision rows into flat arrays that training reads without any further work.

Rows whose state has the fingerprint of an evaluation state, or is kept for probes, are refused, made rows too. Sources are drawn by a power of their
size, so that large ones do not drown the rest.
"""
import argparse
import json
import lzma
import random
from array import array
from collections import Counter
from pathlib import Path

import numpy as np

from augment import augment
from fingerprints import fingerprints, held_out
from rendering import KINDS, as_text, target
from tree import DECIDE, Layout, open_tokenizer
from windows import split_windows

WINDOW, OVERLAP, PLACES = 320, 64, 512

class Packer:
    def __init__(self, layout, longest=None, window=WINDOW, states=None):
        self.layout, self.longest, self.window = layout, longest, window
        # the fewest and the most tokens of a state
        self.states = states or (0, min(WINDOW, longest) if longest else 10**6)
        self.arrays_ = {name: array(code) for name, code in (("tokens", "H"), ("positions", "H"), ("questions", "B"), ("options", "B"), ("levels", "B"))}
        self.rows = [0]
        # one entry a question: row, kind, decide index, first option slot, number of the question asked; one entry an option: end index, gold mass
        self.asked, self.ends, self.gold = [], [], []
        self.sources, self.heldout, self.skipped, self.number = [], [], 0, 0

    def add_rows(self, rows):
        self.layout.encoded.clear()
        self.layout.encode_all(rows)
        for row in rows:
            self.add_row(row)

    def add_row(self, row):
        """A state with its questions, as one row for each window; not at all where it is too short or too long."""
        ids = self.layout.ids(as_text(row["state"]))
        if not self.states[0] <= len(ids) <= self.states[1]:
            self.skipped += 1
            return
        for start, end in split_windows(len(ids), self.window, OVERLAP):
            self.add_window(row, self.layout.trunk(ids[start:end]))
        self.number += len(row["questions"])

    def add_window(self, row, trunk):
        room, begin = (self.longest or 10**6) - len(trunk), len(self.arrays_["tokens"])
        self.append(trunk, range(len(trunk)), [0] * len(trunk), 0, [0] * len(trunk))
        found = 0
        for at, question in enumerate(row["questions"]):
            tokens, positions, levels, parts = self.layout.question(question, len(trunk))
            gold = target(question)
            if max(positions) >= PLACES or len(tokens) > room or found == 12 or max(gold) <= 0 or len(gold) > 250:
                self.skipped += 1
                continue
            room, found = room - len(tokens), found + 1
            first = len(self.arrays_["tokens"]) - begin
            self.append(tokens, positions, parts, found, levels)
            self.asked.append((len(self.rows) - 1, KINDS[question["type"]], first + len(tokens) - 1, len(self.ends), self.number + at))
            self.ends.extend(first + at for at, part in enumerate(parts) if 0 < part < DECIDE and parts[at + 1] != part)
            self.gold.extend(gold)
            self.sources.append(row["source"])
            self.heldout.append(row.get("heldout", ""))
        if found:
            self.rows.append(len(self.arrays_["tokens"]))
        else:
            for values in self.arrays_.values():
                del values[begin:]

    def append(self, tokens, positions, parts, question, levels):
        for name, values in (("tokens", tokens), ("positions", positions), ("questions", [question] * len(tokens)), ("options", parts), ("levels", levels)):
            self.arrays_[name].extend(values)

    def save(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, values in self.arrays_.items():
            np.save(folder / f"{name}.npy", np.array(values))
        np.save(folder / "rows.npy", np.array(self.rows, np.int64))
        np.save(folder / "asked.npy", np.array(self.asked, np.int64))
        np.save(folder / "ends.npy", np.array(self.ends, np.uint16))
        np.save(folder / "gold.npy", np.array(self.gold, np.float32))
        (folder / "sources.json").write_text(json.dumps([self.sources, self.heldout]))


def read(paths, refused, fewest=0):
    """The rows of some files, and how many were refused; none are where nothing is `refused`. Lines that cannot have a state of `fewest` tokens are passed over."""
    rows, found = [], 0
    for path in paths:
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as lines:
            for line in lines:
                if len(line) < 3 * fewest:
                    continue
                row = json.loads(line)
                if refused is not None and (not refused.isdisjoint(fingerprints(row["state"])) or held_out(row["state"])):
                    found += 1
                else:
                    rows.append(row)
    return rows, found


def drawn(rows, wanted, power, less, random_):
    """About `wanted` rows, of each source as many as its size to the power says; `less` has factors for the starts of sources' names."""
    sizes = Counter(row["source"] for row in rows)
    factor = {source: next((value for start, value in less.items() if source.startswith(start)), 1.0) for source in sizes}
    low, high = 0.0, 1e6
    for _ in range(60):
        scale = (low + high) / 2
        low, high = (scale, high) if sum(min(size, scale * factor[source] * size**power) for source, size in sizes.items()) < wanted else (low, scale)
    return [row for row in rows if random_.random() < min(1.0, low * factor[row["source"]] * sizes[row["source"]] ** (power - 1))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fingerprints", type=Path, help="states that must not be trained on, one hash a line")
    parser.add_argument("--rows", type=int, help="how many rows to draw; all without it")
    parser.add_argument("--power", type=float, default=0.5, help="of the size of a source, for its share")
    parser.add_argument("--less", nargs="*", default=[], help="start of sources' names=factor of their share")
    parser.add_argument("--longest", type=int, help="leave out rows of more tokens (training); without it long states are cut into windows (evaluation)")
    parser.add_argument("--states", type=int, nargs=2, metavar=("FEWEST", "MOST"), help="tokens of a state; longer than a window means several windows, in training too")
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens of a state that are read at once")
    parser.add_argument("--augment", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    random_ = random.Random(args.seed)
    refused = set(args.fingerprints.read_text().split()) if args.fingerprints else None
    rows, found = read(args.files, refused, args.states[0] if args.states else 0)
    if args.rows and args.rows < len(rows):
        rows = drawn(rows, args.rows, args.power, {start: float(value) for start, value in (pair.split("=") for pair in args.less)}, random_)
    if args.longest:
        random_.shuffle(rows)
    packer = Packer(Layout(open_tokenizer(args.tokenizer)), args.longest, args.window, args.states)
    for start in range(0, len(rows), 20000):
        packer.add_rows([augment(row, random_) if args.augment else row for row in rows[start : start + 20000]])
    packer.save(args.out)
    print(f"{len(packer.rows) - 1} rows, {len(packer.asked)} questions, {packer.rows[-1]} tokens, {packer.skipped} too long, {found} rows of the evaluation set or kept for probes refused")


if __name__ == "__main__":
    main()
