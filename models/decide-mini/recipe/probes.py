"""Makes the probes: questions of six everyday kinds on texts that no pack has, in wordings that no row was trained in.

    python probes.py --data DATA --work WORK --more FOLDER --fingerprints FILE --base BASE --out ../../../bench/eval-decide/probes

Texts of intents and passages are held-out rows of the training data; reviews come from its file of unclear licence, which is not trained on. Messages, news and sentence pairs come from
three published sets, laid by hand into FOLDER (README.md says where from): SMSSpamCollection, ag-news.csv and stsb-en-test.csv. A text whose tokens occur in any pack
of WORK, or that has the fingerprint of an evaluation state, is left out, and so would a wording be. Files under licences that do not allow to pass texts on go into a `local` folder.
"""
import argparse
import csv
import json
import lzma
import random
import re
from pathlib import Path

import numpy as np

import probe_kinds as kinds
from fingerprints import fingerprints, held_out
from rendering import as_text, branch_text, name_text
from tree import open_tokenizer

WANTED, GRAM = 300, 8
INTENTS = ("banking77", "clinc150", "hwu64")
NO_INTENT = "option|none|no match|other|it is about|something else|anything else|unknown|neither"


def row(source, state, question):
    return {"source": source, "family": "probe", "heldout": "probe", "state": state, "questions": [question]}


def choice(asked, criteria, gold, random_):
    keys = list(criteria)
    random_.shuffle(keys)
    return {"type": "choice", "instructions": asked, "criteria": {key: criteria[key] for key in keys}, "gold": gold}


def two_sided(source, texts, table, random_):
    """Rows of texts with a label (False or True) under the wordings of a table in turn; the second noul of a table asks for the opposite."""
    rows = []
    for at, (text, label) in enumerate(texts):
        kind, asked, options = table[at % len(table)]
        if kind == "noul":
            rows.append(row(source, text, {"type": "noul", "instructions": asked, "gold": label if asked == table[0][1] else not label}))
        else:
            rows.append(row(source, text, choice(asked, options, list(options)[label], random_)))
    return rows


def labelled(data, sources):
    for path in sorted(data):
        with lzma.open(path, "rt") as lines:
            for line in lines:
                if any(f'"source": "{source}' in line[:70] for source in sources):
                    yield json.loads(line)


def reviews(args, random_):
    """Short reviews of one, two, four and five stars, and whether they are good."""
    for found in labelled(args.data.glob("decisions-train-unclear-*.jsonl.xz"), ("amazon-train", "yelp-train")):
        for question in found["questions"]:
            text = found["state"]
            if question["type"] == "score" and isinstance(text, str) and len(text) < 260 and question["gold"] != 2:
                levels = question["criteria"]
                yield text, (question["gold"] > 2) == levels[0].startswith(("1", "very negative"))


def junk(args, random_):
    """Short messages, and whether they are junk."""
    for line in (args.more / "SMSSpamCollection").read_text(errors="replace").splitlines():
        label, text = line.split("\t", 1)
        if len(text) > 25:
            yield text, label == "spam"


def news(args, random_):
    """Titles and first lines of news stories."""
    with (args.more / "ag-news.csv").open() as lines:
        for at, (number, title, text) in enumerate(csv.reader(lines)):
            asked, options = kinds.NEWS[at % 2]
            state = f"{title}\n{text}".replace("\\", " ").replace(" #36;", "$").replace(" #39;", "'")
            yield row("probe: news topic of four", state, choice(asked, options, list(options)[int(number) - 1], random_))


def intents(args, random_):
    """Messages with their intent and seven others of the same set."""
    found, names = [], {}
    for one in labelled(args.data.glob("decisions-train-0?.jsonl.xz"), INTENTS):
        for question in one["questions"]:
            name = name_text(str(question["gold"])).lower()
            if question["type"] == "choice" and isinstance(one["state"], str) and re.search("[a-z]{4}", name) and not re.match(NO_INTENT, name):
                names.setdefault(one["source"], {})[name] = None
                if held_out(one["state"]):
                    found.append((one["source"], one["state"], name))
    random_.shuffle(found)
    for at, (source, text, gold) in enumerate(found):
        others = random_.sample([name for name in names[source] if name != gold], 7)
        yield row("probe: intent among eight", text, choice(kinds.INTENT[at % 3], dict.fromkeys([gold, *others]), gold, random_))


def passages(args, random_):
    """Yes/no questions that a passage answers."""
    for at, found in enumerate(labelled(args.data.glob("decisions-train-0?.jsonl.xz"), ("boolq-train",))):
        for question in found["questions"]:
            plain = re.sub(r"^.{0,40}: |^According to the text, ", "", as_text(question["instructions"]))
            if plain.endswith("?") and not question.get("criteria"):
                text = kinds.ASKED[at % 3].format(q=plain[0].upper() + plain[1:])
                yield row("probe: yes or no by a passage", found["state"], {"type": "noul", "instructions": text, "gold": question["gold"]})


def pairs(args, random_):
    """Two sentences, and how alike people found them."""
    with (args.more / "stsb-en-test.csv").open() as lines:
        for at, (one, other, mark) in enumerate(csv.reader(lines)):
            asked, levels = kinds.SAMENESS[at % 2]
            yield row("probe: similarity of two sentences", {"one": one, "other": other}, {"type": "score", "instructions": asked, "criteria": levels, "gold": round(float(mark))})


class Seen:
    """Finds which token sequences stand in packs, by the hashes of their first tokens."""

    def __init__(self, folders):
        self.packs = [np.load(folder / "tokens.npy").astype(np.uint16) for folder in folders]

    def known(self, sequences):
        """The numbers of the sequences that some pack has, whole."""
        starts = {}
        for at, ids in enumerate(sequences):
            *_, found = self.hashes(ids[:GRAM], min(GRAM, len(ids)))
            starts.setdefault(min(GRAM, len(ids)), {}).setdefault(int(found[0]), []).append(at)
        hits = set()
        for tokens in self.packs:
            for size, hashed in enumerate(self.hashes(tokens, GRAM), 1):
                of = starts.get(size, {})
                wanted = np.zeros(1 << 22, bool)
                wanted[[found & 0x3FFFFF for found in of]] = True
                for place in np.flatnonzero(wanted[(hashed & np.uint64(0x3FFFFF)).astype(np.int64)]):
                    hits.update(at for at in of.get(int(hashed[place]), ()) if np.array_equal(tokens[place : place + len(sequences[at])], sequences[at]))
        return hits

    @staticmethod
    def hashes(tokens, longest):
        """Hashes of all runs of 1, 2, … tokens."""
        found = tokens.astype(np.uint64)
        yield found
        for size in range(2, longest + 1):
            found = found[:-1] * np.uint64(1_000_003) + tokens[size - 1 :]
            yield found


def balanced(texts, random_, count):
    texts = list(dict(texts).items())
    random_.shuffle(texts)
    chosen = [one for label in (False, True) for one in [one for one in texts if one[1] == label][: count // 2]]
    random_.shuffle(chosen)
    return chosen


def unseen(rows, seen, tokenizer, refused):
    """The rows whose texts no pack has, and how many were left out."""
    texts = [[as_text(found["state"])] if isinstance(found["state"], str) else list(found["state"].values()) for found in rows]
    flat = [(at, text) for at, group in enumerate(texts) for text in group]
    ids = [np.array(tokenizer.encode(text, add_special_tokens=False).ids, np.uint16) for _, text in flat]
    known = {flat[at][0] for at in seen.known(ids)}
    known |= {at for at, found in enumerate(rows) if not refused.isdisjoint(fingerprints(found["state"]))}
    return [found for at, found in enumerate(rows) if at not in known], len(known)


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "work", "more", "fingerprints", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    random_, tokenizer = random.Random(3), open_tokenizer(args.base / "tokenizer.json")
    seen = Seen(sorted(path.parent for path in args.work.glob("*/tokens.npy")))
    refused = set(args.fingerprints.read_text().split())
    made = {
        "local/reviews": two_sided("probe: tone of short reviews", balanced(reviews(args, random_), random_, 2 * WANTED), kinds.REVIEW, random_),
        "junk": two_sided("probe: junk mail", balanced(junk(args, random_), random_, 2 * WANTED), kinds.JUNK, random_),
        "local/news": list(news(args, random_)), "intents": list(intents(args, random_)), "passages": list(passages(args, random_)), "local/similarity": list(pairs(args, random_)),
    }
    for name, rows in made.items():
        kept, left_out = unseen(rows, seen, tokenizer, refused)
        asked = {branch_text(found["questions"][0]) for found in kept} if name != "passages" else set()
        if worded := seen.known([np.array(tokenizer.encode(text, add_special_tokens=False).ids, np.uint16) for text in sorted(asked)]):
            raise SystemExit(f"{name}: {len(worded)} wordings are in a pack")
        chosen = kept[:WANTED] if name in ("junk", "local/reviews") else random_.sample(kept, min(len(kept), WANTED))
        path = args.out / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(found, ensure_ascii=False) + "\n" for found in chosen))
        print(f"{name}: {len(chosen)} of {len(rows)}, {left_out} left out as known or sealed")


if __name__ == "__main__":
    main()
