"""Puts the questions of the archives `written*.tar.xz` to their texts.

The texts, questions and labels there were written for this model by a large language model, line by line and out of its head. A folder has texts with codes that say
what is true of them (`texts.tsv`, some of two texts) and questions that are answered by codes (`asks.jsonl`), or whole rows (`rows.jsonl`).
"""
import argparse
import json
import lzma
import random
from pathlib import Path

from asking import Asking
from fingerprints import held_out

PROBE = "probe: written questions"

FIELDS = {"reviews": ["review", "text", "comment", "body"], "messages": ["message", "text", "body", "sms"], "news": ["text", "story", "article", "content"]}
LABELS = {"reviews": ["Review", "Customer", "Feedback"], "messages": ["Message", "Text", "From a mailbox"], "news": ["Text", "Story", "Article"]}


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def answered(ask, codes):
    """The question of a template with the answer that follows from a text's codes; nothing where none or several do."""
    if ask["type"] == "noul":
        yes, no = codes & set(ask["yes"]), codes & set(ask["no"])
        return {"type": "noul", "instructions": ask["instructions"], "gold": bool(yes)} if bool(yes) != bool(no) else None
    found = {answer for code, answer in ask["right" if ask["type"] == "choice" else "level"].items() if code in codes}
    if len(found) != 1:
        return None
    return {"type": ask["type"], "instructions": ask["instructions"], "criteria": ask["options"] if ask["type"] == "choice" else ask["levels"], "gold": found.pop()}


def whole(asked):
    """A question of a whole row."""
    kind, instructions, *rest = asked
    return {"type": kind, "instructions": instructions, **({"criteria": rest[0]} if len(rest) > 1 else {}), "gold": rest[-1]}


class Written(Asking):
    def __init__(self, folder, random_):
        super().__init__(random_)
        self.folder, self.kind = folder, folder.name.rstrip("0123456789")

    def row(self, state, questions):
        for question in questions:
            if question["type"] == "choice":
                options = list(question["criteria"].items())
                self.random.shuffle(options)
                question["criteria"] = dict(options)
        return {"source": f"written/{self.folder.name}", "family": "written", "state": state, "questions": questions}

    def whole_rows(self, times):
        """Every whole row so often, in other orders."""
        for line in lines(self.folder / "rows.jsonl"):
            found = json.loads(line)
            for _ in range(times):
                yield self.row(found["s"], self.random.sample([whole(question) for question in found["q"]], len(found["q"])))

    def coded_rows(self, times):
        """Every text with codes so often, each time under other questions."""
        asks = [json.loads(line) for line in lines(self.folder / "asks.jsonl")]
        for line in lines(self.folder / "texts.tsv"):
            codes, *texts = line.split("\t")
            texts = [text.strip().replace("\\n", "\n") for text in texts]
            questions = [found for ask in asks if (found := answered(ask, set(codes.split(","))))]
            self.random.shuffle(questions)
            each = min(3, len(questions))
            for start in range(0, min(times * each, len(questions) - each + 1), each) if each else ():
                yield self.row(self.state(texts), questions[start : start + each])

    def state(self, texts):
        if len(texts) == 2:
            return self.two(self.equals(), *texts)
        return self.shown(texts[0], FIELDS.get(self.kind, ["text", "content", "message"]), LABELS.get(self.kind, ["Text", "Input"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--written", type=Path, required=True, help="folder of folders, as in the archives beside this program")
    parser.add_argument("--times", type=int, default=4, help="rows of a text")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--kept", action="store_true", help="the whole rows that packs leave out, as a probe, instead of all")
    parser.add_argument("--out", type=Path, required=True, help="a file that ends in .xz or not")
    args = parser.parse_args()
    random_ = random.Random(args.seed)
    written = [Written(folder, random_) for folder in sorted(args.written.iterdir())]
    if args.kept:
        rows = [{**row, "source": PROBE, "family": "probe", "heldout": "probe"} for one in written for row in one.whole_rows(1) if held_out(row["state"])]
    else:
        rows = [row for one in written for row in [*one.whole_rows(args.times), *one.coded_rows(args.times)]]
    random_.shuffle(rows)
    with (lzma.open if args.out.suffix == ".xz" else open)(args.out, "wt") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(f"{len(rows)} rows, {sum(len(row['questions']) for row in rows)} questions")


if __name__ == "__main__":
    main()
