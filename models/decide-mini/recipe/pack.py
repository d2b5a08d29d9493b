"""Renders, augments, tokenises and packs decision rows into flat arrays that training reads without any further work.

Rows whose state has the fingerprint of an evaluation state are refused. Augmentations, each drawn per row or question:
dropped yes/no criteria, denied statements, opaque option keys where the meaning speaks, plain text wrapped as JSON.
"""
import argparse
import hashlib
import json
import lzma
import random
import re
from array import array
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from asking import DENIALS, lower_first
from rendering import as_text, option_texts, target

STATE_LIMIT, BRANCH_LIMIT = 640, 320
DECIDE = 255
NOT_WORD = re.compile(r"[\W_]+")
STATEMENT = re.compile(r"(?!Decide|Check|Judge|Please|True or|Yes or|It is not|Is |Claim)[A-Z][^.?!]*\.", re.S)
KINDS = {"noul": 0, "choice": 1, "score": 2}


def fingerprint(state):
    return hashlib.sha256(NOT_WORD.sub("", as_text(state)).lower().encode()).hexdigest()[:16]


def deny(question, random_):
    """A statement denied, with yes and no changed over. Questions, and statements put as a task, stay."""
    text = question["instructions"]
    if not isinstance(text, str) or not STATEMENT.fullmatch(text):
        return
    question["instructions"] = random_.choice(DENIALS).format(s=lower_first(text.rstrip(".")))
    question["gold"] = not question["gold"]
    if question.get("soft"):
        question["soft"] = {"true": question["soft"].get("false", 0), "false": question["soft"].get("true", 0)}


def augment(row, random_):
    if isinstance(row["state"], str) and random_.random() < 0.08:
        row["state"] = {random_.choice(["text", "message", "body", "content", "input"]): row["state"]}
    for question in row["questions"]:
        criteria = question.get("criteria")
        if question["type"] == "noul" and criteria and random_.random() < 0.3:
            question["criteria"] = None
        if question["type"] == "noul" and not question.get("criteria") and random_.random() < 0.3:
            deny(question, random_)
        if question["type"] == "choice" and random_.random() < 0.1 and all(criteria.values()):
            keys = list(criteria)
            opaque = [chr(65 + i) for i in range(len(keys))]
            if random_.random() < 0.5:
                opaque = [f"option_{i + 1}" for i in range(len(keys))]
            renamed = {}
            for new, key in zip(opaque, keys):
                meaning = as_text(criteria[key])
                renamed[new] = meaning if re.search("[A-Za-z]{3}", meaning) else f"{key}: {meaning}"
            question["criteria"], question["gold"] = renamed, opaque[keys.index(question["gold"])]
    return row


class Packer:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.ids = {name: tokenizer.token_to_id(f"<{name}>") for name in ("state", "noul", "choice", "score", "option", "/option", "decide")}
        self.tokens, self.positions = array("H"), array("H")
        self.questions, self.options = array("B"), array("B")
        self.rows = [0]
        # one entry a question: row, kind, decide index, first option slot; one entry an option: end index, gold mass
        self.asked, self.ends, self.gold = [], [], []
        self.sources, self.heldout, self.skipped = [], [], 0

    def add_rows(self, rows):
        texts = {}
        for row in rows:
            texts[as_text(row["state"])] = None
            for question in row["questions"]:
                texts[as_text(question.get("instructions"))] = None
                for text in option_texts(question):
                    texts[text] = None
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for text, encoding in zip(texts, encoded):
            texts[text] = encoding.ids
        for row in rows:
            self.add_row(row, texts)

    def add_row(self, row, encoded):
        state = [self.ids["state"], *encoded[as_text(row["state"])]]
        branches = []
        for question in row["questions"]:
            options = [encoded[text] for text in option_texts(question)]
            head = [self.ids[question["type"]], *encoded[as_text(question.get("instructions"))]]
            if len(head) + sum(len(option) + 2 for option in options) + 1 <= BRANCH_LIMIT and max(target(question)) > 0:
                branches.append((question, head, options))
        if len(state) > STATE_LIMIT or not branches:
            self.skipped += 1
            return
        start = len(self.tokens)
        self.append(state, 0, 0, 0)
        for number, (question, head, options) in enumerate(branches[:8], 1):
            base = len(state) + len(head)
            self.append(head, len(state), number, 0)
            self.asked.append((len(self.rows) - 1, KINDS[question["type"]], 0, len(self.ends)))
            for slot, (option, mass) in enumerate(zip(options, target(question)), 1):
                self.append([self.ids["option"], *option, self.ids["/option"]], base, number, slot)
                self.ends.append(len(self.tokens) - 1 - start)
                self.gold.append(mass)
            self.append([self.ids["decide"]], base + max(map(len, options)) + 2, number, DECIDE)
            row_, kind, _, first = self.asked[-1]
            self.asked[-1] = (row_, kind, len(self.tokens) - 1 - start, first)
            self.sources.append(row["source"])
            self.heldout.append(row.get("heldout", ""))
        self.rows.append(len(self.tokens))

    def append(self, ids, position, question, option):
        self.tokens.extend(ids)
        self.positions.extend(range(position, position + len(ids)))
        self.questions.extend([question] * len(ids))
        self.options.extend([option] * len(ids))

    def arrays(self):
        return {
            "tokens": np.array(self.tokens, np.uint16), "positions": np.array(self.positions, np.uint16),
            "questions": np.array(self.questions, np.uint8), "options": np.array(self.options, np.uint8),
            "rows": np.array(self.rows, np.int64), "asked": np.array(self.asked, np.int64),
            "ends": np.array(self.ends, np.uint16), "gold": np.array(self.gold, np.float32),
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fingerprints", type=Path, help="states that must not be trained on, one hash a line")
    parser.add_argument("--augment", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    refused = set(args.fingerprints.read_text().split()) if args.fingerprints else set()
    packer, random_, found = Packer(Tokenizer.from_file(str(args.tokenizer))), random.Random(args.seed), 0
    for name in args.files:
        rows = []
        with lzma.open(args.data / name, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                if refused and fingerprint(row["state"]) in refused:
                    found += 1
                    continue
                rows.append(augment(row, random_) if args.augment else row)
                if len(rows) == 20000:
                    packer.add_rows(rows)
                    rows = []
        packer.add_rows(rows)
    arrays = packer.arrays()
    args.out.mkdir(parents=True, exist_ok=True)
    for key, value in arrays.items():
        np.save(args.out / f"{key}.npy", value)
    (args.out / "sources.json").write_text(json.dumps([packer.sources, packer.heldout]))
    print(f"{len(arrays['rows']) - 1} rows, {len(arrays['asked'])} questions, {len(arrays['tokens'])} tokens, "
          f"{packer.skipped} rows too long, {found} rows of the evaluation set refused")


if __name__ == "__main__":
    main()
