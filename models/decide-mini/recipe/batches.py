"""Batches of packed rows: near-equal lengths together, a fixed budget of padded tokens a batch."""
import json
from pathlib import Path

import numpy as np
import torch

from pack import DECIDE


class Packed:
    def __init__(self, folder):
        for name in ("tokens", "positions", "questions", "options", "rows", "asked", "ends", "gold"):
            setattr(self, name, np.load(Path(folder) / f"{name}.npy"))
        self.folder, self.lengths = folder, np.diff(self.rows)
        # first question of each row, and one past the last
        self.first = np.searchsorted(self.asked[:, 0], np.arange(len(self.lengths) + 1))

    def sources(self):
        """Where each question is from, and what it is held out by."""
        return json.loads((Path(self.folder) / "sources.json").read_text())

    def batches(self, budget, random, longest=None, worth=None):
        """Lists of row numbers. Rows are shuffled, sorted by length within pools, cut at `budget` padded tokens, shuffled again.
        `longest` leaves out rows of more tokens, `worth` [rows] is the chance of each to be read."""
        chosen = np.ones(len(self.lengths), bool) if longest is None else self.lengths <= longest
        if worth is not None:
            chosen &= random.random(len(chosen)) < worth
        order = random.permutation(np.flatnonzero(chosen))
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
        width = -(-max(self.lengths[row] for row in batch) // 16) * 16
        shape = (len(batch), width)
        tokens, positions = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        questions, options = np.full(shape, 255, np.uint8), np.zeros(shape, np.uint8)
        decides, ends, owner, kinds, gold, asked = [], [], [], [], [], []
        for line, row in enumerate(batch):
            start, stop = self.rows[row], self.rows[row + 1]
            size = stop - start
            tokens[line, :size], positions[line, :size] = self.tokens[start:stop], self.positions[start:stop]
            questions[line, :size], options[line, :size] = self.questions[start:stop], self.options[start:stop]
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
        mask = ((question.unsqueeze(1) == 0) | (same & shown)) & torch.ones(width, width, dtype=torch.bool).tril()
        return {
            "tokens": torch.from_numpy(tokens), "positions": torch.from_numpy(positions), "mask": mask.unsqueeze(1),
            "decides": torch.tensor(decides), "ends": torch.from_numpy(np.concatenate(ends)),
            "owner": torch.from_numpy(np.concatenate(owner)), "kinds": torch.tensor(kinds),
            "gold": torch.from_numpy(np.concatenate(gold)), "asked": asked,
        }


def per_question(logits, owner, count):
    """Options of all questions as a padded table [questions, most options] with -inf where there is no option, and the slots."""
    sizes = torch.bincount(owner, minlength=count)
    starts = sizes.cumsum(0) - sizes
    slot = torch.arange(len(owner), device=owner.device) - starts[owner]
    table = logits.new_full((count, int(sizes.max())), -torch.inf)
    table[owner, slot] = logits
    return table, slot
