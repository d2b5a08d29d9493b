"""Pairs of statements of the labelled data that agree or contradict each other, whatever way they were asked about there."""
import json
import lzma
import re


def lines(path):
    with lzma.open(path, "rt") as rows:
        yield from map(json.loads, rows)


def statement_pairs(data):
    """Pairs of statements of the training rows of which the second follows from the first, and such that contradict each other."""
    found = {True: [], False: []}
    for row in (row for path in sorted(data.glob("decisions-train-0*.jsonl.xz")) for row in lines(path) if row["family"] == "nli"):
        question, state = row["questions"][0], row["state"]
        shown = re.fullmatch(r"Premise: (.+)\nHypothesis: (.+)", state) if isinstance(state, str) else None
        quoted = re.search(r'"(.+)"\??$|the claim: (.+)\.$', question["instructions"])
        if isinstance(state, dict):
            pair = state.get("premise"), state.get("hypothesis")
        elif shown or quoted:
            pair = shown.groups() if shown else (state, quoted[1] or quoted[2])
        else:
            pair = state, None
        gold = question["gold"] if question["type"] == "noul" else f"{question['gold']}: {question['criteria'][question['gold']]}".lower()
        if row["source"].endswith(("task200_mnli_entailment_classification", "task202_mnli_contradiction_classification")) and question["type"] == "choice":
            pair, relation = (state, question["criteria"][question["gold"]]), "task200" in row["source"]
        elif question["type"] == "choice":
            relation = True if re.search("follows|entail|definitely true", gold) else False if re.search("otherwise|contradict|cannot be true|definitely false", gold) else None
        elif gold and re.search("follow from|support this|entails", question["instructions"]) and not re.search("false|not true", question["instructions"]):
            relation = True
        else:
            relation = None
        if all(pair) and relation is not None and len(pair[0]) < 250:
            found[relation].append(pair)
    return found
