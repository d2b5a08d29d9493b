"""Rows of the training data whose choices have two sides, with a third option that takes none: a neutral option is not the answer because one is not sure.

Without them a model that has read many inferences, of which a third are neutral, calls every argument and every remark neutral where that is on offer.
"""
import argparse
import json
import lzma
import random
from pathlib import Path

from fingerprints import held_out

NEITHER = [("neutral", "takes no side"), ("neutral", "neither of the two"), ("neutral", None), ("neutral", "says nothing either way"), ("undecided", "no clear position"), ("mixed", "a bit of both"), ("unclear", "it can't be told"), ("neither", None), ("none", "has no stand on it"), ("no opinion", None), ("not applicable", "the question makes no sense here"), ("other", None)]
# rows of a source, and the families that have sides to take
FEW, PART = 400, ("argument", "sentiment", "emotion", "ethics", "dialogue", "commonsense", "style", "causality", "pragmatics", "negotiation", "events")


def widened(question, random_):
    """The choice with a third option, which is wrong."""
    name, meaning = random_.choice(NEITHER)
    keys = list(question["criteria"])
    style = str.upper if all(key.isupper() and len(key) > 1 for key in keys) else str.capitalize if all(key[:1].isupper() for key in keys) else str
    found = [*question["criteria"].items(), (style(name), meaning if any(question["criteria"].values()) or random_.random() < 0.2 else None)]
    random_.shuffle(found)
    return {**question, "criteria": dict(found)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    random_, of = random.Random(14), {}
    for path in sorted(args.data.glob("decisions-train-0*.jsonl.xz")):
        with lzma.open(path, "rt") as lines:
            for row in map(json.loads, lines):
                if row["family"] not in PART or held_out(row["state"]):
                    continue
                asked = [widened(question, random_) for question in row["questions"] if question["type"] == "choice" and len(question["criteria"]) == 2 and not any("neutral" in key.lower() for key in question["criteria"])]
                if asked:
                    of.setdefault(row["source"], []).append({**row, "questions": asked})
    rows = [row for found in of.values() for row in random_.sample(found, min(len(found), FEW))]
    random_.shuffle(rows)
    print({source: len(found) for source, found in of.items()})
    with lzma.open(args.out, "wt", preset=0) as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
