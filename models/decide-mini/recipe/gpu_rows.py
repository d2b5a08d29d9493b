"""Packed rows in a GPU's memory: all packs as one store, batches of rows of near-equal lengths out of all of them."""
import json
from pathlib import Path

import numpy as np
import torch

from batches import NOBODY
from tree import DECIDE

FLAT = ("tokens", "positions", "questions", "options", "levels")
STEP = 16


def spans(starts, counts):
    """The numbers from each start on, so many each, one after the other."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(counts.sum())


class Rows:
    """What `pack.py` wrote, of any number of folders; rows are numbered through."""

    def __init__(self, device):
        self.device, self.flat = device, {}
        self.rows, self.first, self.asked, self.options = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((0, 5), np.int64), np.zeros(1, np.int64)
        self.ends, self.gold = np.zeros(0, np.int64), np.zeros(0, np.float32)

    def add(self, folder):
        """Takes a pack in; returns the numbers of its rows."""
        read = {name: np.load(Path(folder) / f"{name}.npy") for name in (*FLAT, "rows", "asked", "ends", "gold")}
        for name in FLAT:
            new = torch.from_numpy(read[name].astype(np.int32 if name in ("tokens", "positions") else np.uint8)).to(self.device)
            self.flat[name] = torch.cat([self.flat[name], new]) if name in self.flat else new
        begin, asked = len(self.rows) - 1, read["asked"]
        self.first = np.concatenate([self.first, len(self.asked) + np.searchsorted(asked[:, 0], np.arange(1, len(read["rows"])))])
        # one past the last option of every question
        self.options = np.concatenate([self.options, len(self.ends) + np.append(asked[1:, 3], len(read["ends"]))])
        self.rows = np.concatenate([self.rows, self.rows[-1] + read["rows"][1:]])
        self.asked, self.ends, self.gold = np.concatenate([self.asked, asked]), np.concatenate([self.ends, read["ends"].astype(np.int64)]), np.concatenate([self.gold, read["gold"]])
        return np.arange(begin, len(self.rows) - 1)

    def lengths(self, rows):
        return self.rows[rows + 1] - self.rows[rows]

    def batches(self, rows, budget):
        """Rows in batches of at most `budget` tokens with padding, in the order of their lengths."""
        rows = rows[np.argsort(self.lengths(rows), kind="stable")]
        lengths, start = -(-self.lengths(rows) // STEP) * STEP, 0
        found = []
        for at in range(1, len(rows) + 1):
            if at == len(rows) or (at + 1 - start) * lengths[at] > budget:
                found.append(rows[start:at])
                start = at
        return found

    def collate(self, rows):
        """The tensors of some rows, as `batches.py` makes them, and the place of every option in a table of questions."""
        starts, lengths = self.rows[rows], self.lengths(rows)
        width = int(-(-lengths.max() // STEP) * STEP)
        counts = self.first[rows + 1] - self.first[rows]
        asked = spans(self.first[rows], counts)
        sizes = self.options[asked + 1] - self.options[asked]
        option, widest = spans(self.options[asked], sizes), int(sizes.max())
        line = np.repeat(np.arange(len(rows)), counts)
        owner = np.repeat(np.arange(len(asked)), sizes)
        numbers = torch.from_numpy(np.concatenate([starts, lengths, line * width + self.asked[asked, 2], self.asked[asked, 1], sizes,
                                                   line[owner] * width + self.ends[option], owner, spans(np.zeros_like(sizes), sizes)]))
        gold = torch.from_numpy(self.gold[option])
        if self.device != "cpu":
            numbers, gold = (values.pin_memory().to(self.device, non_blocking=True) for values in (numbers, gold))
        starts, lengths, decides, kinds, sizes, ends, owner, slot = numbers.split([len(rows)] * 2 + [len(asked)] * 3 + [len(option)] * 3)
        place = torch.arange(width, device=self.device)
        padding = place >= lengths[:, None]
        at = (starts[:, None] + place).clamp(max=len(self.flat["tokens"]) - 1)
        tokens, positions, questions, options, levels = (self.flat[name][at].masked_fill(padding, NOBODY if name == "questions" else 0) for name in FLAT)
        same = questions.unsqueeze(2) == questions.unsqueeze(1)
        shown = (options.unsqueeze(1) == 0) | (options.unsqueeze(2) == options.unsqueeze(1)) | (options.unsqueeze(2) == DECIDE)
        # padding sees itself and the trunk, so that no row of attention is empty; nobody sees padding
        mask = (questions.unsqueeze(1) == 0) | (same & shown)
        inputs = (tokens, positions, (questions > 0).int(), levels.int(), mask.unsqueeze(1), decides, ends, owner)
        return {"inputs": inputs, "kinds": kinds, "sizes": sizes, "slot": slot, "gold": gold, "shape": (len(asked), widest), "asked": asked}


class Mixture:
    """Batches without end: of each pack as many tokens as its share says, each row as often as it is worth, all rows of a pack before any comes again."""

    def __init__(self, rows, random):
        self.rows, self.random, self.packs, self.waiting = rows, random, {}, {}

    def add(self, name, numbers, worth=None):
        """More rows of a pack; they are read with the next ones that are drawn."""
        old = self.packs.get(name, (np.zeros(0, np.int64), np.zeros(0)))
        self.packs[name] = np.concatenate([old[0], numbers]), np.concatenate([old[1], np.ones(len(numbers)) if worth is None else worth])
        self.waiting.setdefault(name, np.zeros(0, np.int64))
        self.waiting[name] = self.random.permutation(np.concatenate([self.waiting[name], self.drawn(numbers, worth)]))

    def drawn(self, numbers, worth):
        return numbers if worth is None else numbers[self.random.random(len(numbers)) < worth]

    def take(self, name, tokens):
        """The next rows of a pack with about so many tokens."""
        found = []
        while tokens > 0:
            if not len(self.waiting[name]):
                self.waiting[name] = self.random.permutation(self.drawn(*self.packs[name]))
            sums = np.cumsum(self.rows.lengths(self.waiting[name]))
            count = int(np.searchsorted(sums, tokens)) + 1
            found.append(self.waiting[name][:count])
            tokens -= sums[min(count, len(sums)) - 1]
            self.waiting[name] = self.waiting[name][count:]
        return np.concatenate(found)

    def pool(self, shares, budget, batches=96):
        """Some batches in a random order; packs that are not there yet leave their share to the others."""
        there = {name: share for name, share in shares.items() if name in self.packs}
        tokens = batches * budget / sum(there.values())
        found = self.rows.batches(np.concatenate([self.take(name, share * tokens) for name, share in there.items() if share]), budget)
        return [found[at] for at in self.random.permutation(len(found))]


def worth_of(folder, table):
    """The chance of each row of a pack to be read, by the first start of its source's name in a table."""
    sources, asked = json.loads((Path(folder) / "sources.json").read_text())[0], np.load(Path(folder) / "asked.npy")
    first = np.searchsorted(asked[:, 0], np.arange(len(np.load(Path(folder) / "rows.npy")) - 1))
    chances = {source: next(chance for start, chance in table.items() if source.startswith(start)) for source in set(sources)}
    return np.array([chances[sources[at]] for at in first])
