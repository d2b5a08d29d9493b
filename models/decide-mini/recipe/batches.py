"""Batches of packed rows: near-equal lengths together, a fixed budget of padded tokens a batch."""
import json
from pathlib import Path

import numpy as np
import torch

from tree import DECIDE

NOBODY = 255


class Packed:
    def __init__(self, folder):
        for name in ("tokens", "positions", "questions", "options", "levels", "rows", "asked", "ends", "gold"):
            setattr(self, name, np.load(Path(folder) / f"{name}.npy"))
        self.folder, self.lengths = folder, np.diff(self.rows)
        # first question of each row, and one past the last
        self.first = np.searchsorted(self.asked[:, 0], np.arange(len(self.lengths) + 1))

    def sources(self):
        """Where each question is from, and what it is held out by."""
        return json.loads((Path(self.folder) / "sources.json").read_text())

    def some(self, questions, longest):
        """Numbers of evenly drawn rows of at most `longest` tokens with about so many questions."""
        order = np.random.default_rng(5).permutation(np.flatnonzero(self.lengths <= longest))
        counts = np.diff(self.first)[order].cumsum()
        return np.sort(order[: np.searchsorted(counts, questions)])

    def worth(self, table):
        """The chance of each row to be read [rows], by the first start of its source's name in a table."""
        of, _ = self.sources()
        return np.array([next(chance for start, chance in table.items() if of[first].startswith(start)) for first in self.first[:-1]])

    def batches(self, budget, random, chosen=None):
        """Lists of row numbers. Rows are shuffled, sorted by length within pools, cut at `budget` padded tokens, shuffled again."""
        order = random.permutation(len(self.lengths) if chosen is None else chosen)
        found = []
        for start in range(0, len(order), 8192):
            pool = order[start : start + 8192]
            pool = pool[np.argsort(self.lengths[pool], kind="stable")]
            batch = []
            for row in pool:
                if batch and (len(batch) + 1) * self.lengths[row] > budget:
                    found.append(batch)
                    batch = []
                batch.append(row)
            found.append(batch)
        return [found[i] for i in random.permutation(len(found))]

    def collate(self, batch):
        """The tensors of some rows, and who sees whom."""
        width = max(self.lengths[row] for row in batch)
        shape = (len(batch), width)
        tokens, positions, levels = (np.zeros(shape, np.int64) for _ in range(3))
        questions, options = np.full(shape, NOBODY, np.uint8), np.zeros(shape, np.uint8)
        decides, ends, owner, kinds, gold, asked = [], [], [], [], [], []
        for line, row in enumerate(batch):
            start, stop = self.rows[row], self.rows[row + 1]
            for padded, flat in ((tokens, self.tokens), (positions, self.positions), (levels, self.levels), (questions, self.questions), (options, self.options)):
                padded[line, : stop - start] = flat[start:stop]
            for number in range(self.first[row], self.first[row + 1]):
                first = self.asked[number, 3]
                last = self.asked[number + 1, 3] if number + 1 < len(self.asked) else len(self.ends)
                decides.append(line * width + self.asked[number, 2])
                kinds.append(self.asked[number, 1])
                ends.append(line * width + self.ends[first:last].astype(np.int64))
                owner.append(np.full(last - first, len(decides) - 1))
                gold.append(self.gold[first:last])
                asked.append(number)
        question, option = torch.from_numpy(questions), torch.from_numpy(options)
        same = question.unsqueeze(2) == question.unsqueeze(1)
        shown = (option.unsqueeze(1) == 0) | (option.unsqueeze(2) == option.unsqueeze(1)) | (option.unsqueeze(2) == DECIDE)
        # padding sees itself and the trunk, so that no row of attention is empty; nobody sees padding
        mask = (question.unsqueeze(1) == 0) | (same & shown)
        return {
            "inputs": (torch.from_numpy(tokens), torch.from_numpy(positions), (question > 0).long(), torch.from_numpy(levels), mask.unsqueeze(1),
                       torch.tensor(np.array(decides)), torch.from_numpy(np.concatenate(ends)), torch.from_numpy(np.concatenate(owner))),
            "kinds": torch.tensor(np.array(kinds)), "gold": torch.from_numpy(np.concatenate(gold)), "asked": asked,
        }


def per_question(logits, owner, count):
    """Options of all questions as a padded table [questions, most options] with -inf where there is no option, and the slots."""
    sizes = torch.bincount(owner, minlength=count)
    starts = sizes.cumsum(0) - sizes
    slot = torch.arange(len(owner)) - starts[owner]
    table = logits.new_full((count, int(sizes.max())), -torch.inf)
    table[owner, slot] = logits
    return table, slot
