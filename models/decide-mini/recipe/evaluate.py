"""What weights are worth: accuracy, Brier score, calibration error and rank correlation on packed questions.

Temperatures are fitted on every second question of the developer set; figures come from the others.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch

import products
from batches import Packed, per_question
from calibrate import calibrated, fit
from losses import loss_of
from model import Config, TreeDecider
from windows import pool, softmax

TYPES, SHARPNESS, BINS = ("noul", "choice", "score"), 4, 15


@torch.inference_mode()
def tables(model, packed, chosen=None, budget=8192):
    """The logits of batches as padded tables, with their batches."""
    model.eval()
    for rows in packed.batches(budget, np.random.default_rng(0), chosen):
        batch = packed.collate(rows)
        logits = model(*batch["inputs"])
        yield batch, logits, per_question(logits, batch["inputs"][-1], len(batch["kinds"]))[0]
    model.train()


def quick(model, packed, chosen):
    """Accuracy per held-out part and type on some rows, each window by itself."""
    _, heldout = packed.sources()
    tally = {}
    for batch, logits, _ in tables(model, packed, chosen):
        _, right = loss_of(logits, batch)
        for asked, kind, hit in zip(batch["asked"], batch["kinds"].tolist(), right.tolist()):
            tally.setdefault(f"{heldout[asked]} {TYPES[kind]}", []).append(hit)
    return {key: round(float(np.mean(hits)), 3) for key, hits in sorted(tally.items())}


def pooled(questions, calibration=None):
    """The same questions with their windows' calibrated logits as one."""
    return [{**question, "logits": pool([calibrated(question["type"], logits, calibration) for logits in question["windows"]], SHARPNESS)} for question in questions]


def questions_of(model, packed, chosen=None):
    """Every question with its logits, in the order of the file."""
    sources, heldout = packed.sources()
    found = {}
    for batch, _, table in tables(model, packed, chosen):
        sizes = torch.bincount(batch["inputs"][-1]).tolist()
        for asked, line, size in zip(batch["asked"], table.double().numpy(), sizes):
            row, kind, _, first, number = packed.asked[asked]
            question = found.setdefault(int(number), {"type": TYPES[kind], "windows": [], "gold": int(np.argmax(packed.gold[first : first + size])), "source": sources[asked], "heldout": heldout[asked]})
            question["windows"].append(line[:size].copy())
    return pooled([found[number] for number in sorted(found)])


def ranks(values):
    """Ranks with ties shared."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def measure(questions):
    """The figures of some questions."""
    chances = [softmax(question["logits"]) for question in questions]
    gold = np.array([question["gold"] for question in questions])
    right, top = np.array([chance.argmax() for chance in chances]) == gold, np.array([chance.max() for chance in chances])
    bins = np.minimum(BINS - 1, (top * BINS).astype(int))
    found = {"n": len(questions), "accuracy": right.mean(), "brier": np.mean([((chance - np.eye(len(chance))[g]) ** 2).sum() for chance, g in zip(chances, gold)]),
             "ece": sum(abs((top - right)[bins == b].sum()) for b in range(BINS)) / len(questions)}
    if questions[0]["type"] == "score" and len(questions) > 2:
        expected = np.array([chance @ np.arange(len(chance)) for chance in chances])
        found["mae"] = np.abs(expected - gold).mean()
        found["rank_correlation"] = np.corrcoef(ranks(expected), ranks(gold))[0, 1]
    return {name: round(float(value), 4) if name != "n" else value for name, value in found.items()}


def by(questions, name):
    """The figures of each group."""
    groups = {}
    for question in questions:
        groups.setdefault(name(question), []).append(question)
    return {key: measure(members) for key, members in sorted(groups.items())}


def report(model, dev, everyday=None, chosen=None):
    """Figures before and after calibration, and the calibration fitted on half of the developer set."""
    raw = questions_of(model, dev, chosen)
    group = lambda question: f"{question['heldout']} {question['type']}"
    calibration = fit(raw[::2])
    after = pooled(raw, calibration)
    found = {"calibration": calibration, "before": by(raw[1::2], group), "after": by(after[1::2], group), "all": by(after, group), "everything": measure(after[1::2]),
             "sources": by([q for q in after if q["heldout"] == "task"], lambda question: f"{question['source'].split('/')[-1]} {question['type']}")}
    if everyday:
        asked = pooled(questions_of(model, everyday), calibration)
        found["everyday"] = {"all": measure(asked), **by(asked, lambda question: question["type"]), **by(asked, lambda question: question["source"])}
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True, help="packed developer set")
    parser.add_argument("--everyday", type=Path, help="packed everyday questions")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounded", action="store_true", help="products in bfloat16: faster")
    parser.add_argument("--rows", type=int, help="about how many questions of the developer set, of short rows only; for a quick look")
    args = parser.parse_args()
    torch.set_num_threads(1)
    products.ROUNDED = args.rounded and products.is_faster_rounded()
    model = TreeDecider(Config.read(args.bundle))
    model.load_encoder(args.bundle / "model.safetensors")
    dev = Packed(args.dev)
    found = report(model, dev, Packed(args.everyday) if args.everyday else None, dev.some(args.rows, 192) if args.rows else None)
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    manifest = args.bundle / "tessera.json"
    calibration = {**found["calibration"], "samples": found["everything"]["n"], "ece": found["everything"]["ece"]}
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "calibration": calibration}, indent=2) + "\n")
    print(json.dumps({part: {key: value["accuracy"] for key, value in found[part].items()} for part in ("before", "after")}, indent=1))


if __name__ == "__main__":
    main()
