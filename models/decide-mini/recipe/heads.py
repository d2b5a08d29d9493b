"""Whether a head of its own for a question beats calibration alone: five questions on texts that were never trained on, 100 and 300 labelled rows each.

Calibration is a scale and biases, drawn towards the shipped ones. The head adds, for each option, a linear function of the decide row and of the option's last row; how strongly its weights are
drawn to nothing is chosen by cross-validation on the labelled rows, and "no head" is among the choices. Figures are means over several draws of the rows.

    python heads.py --data DATA --more FOLDER --rows FOLDER                                                       the rows, for `npm run eval:heads -- --data FOLDER`
    python heads.py --data DATA --more FOLDER --checkpoint work/checkpoint.pt --base BASE --out heads.json        figures of a checkpoint

FOLDER of --more has `ag-news.csv`, `SMSSpamCollection` and `stsb-en-test.csv`, as probes.py needs them.
"""
import argparse
import csv
import json
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from batches import Packed
from export import mean_weights
from model import TreeDecider
from pack import Packer
from probes import junk, labelled, pairs, reviews
from rendering import as_text
from tree import Layout, open_tokenizer

SIZES, DRAWS, TESTED, STRENGTHS = (100, 300), 4, 300, (0.0001, 0.001, 0.01, 0.1, 1, None)


def rows_of(args, random_):
    """By name, rows that all ask the same."""
    noul = lambda asked: (lambda text, label: {"source": "", "state": text, "questions": [{"type": "noul", "instructions": asked, "gold": label}]})
    topics = {"world": None, "sports": None, "business": None, "science and technology": None}
    with (args.more / "ag-news.csv").open() as lines:
        news = [{"source": "", "state": f"{title}\n{text}", "questions": [{"type": "choice", "instructions": "What is the topic of this story?", "criteria": topics, "gold": list(topics)[int(number) - 1]}]} for number, title, text in csv.reader(lines)]
    same = [noul("Do both questions ask the same?")(found["state"], found["questions"][0]["gold"]) for found in labelled(args.data.glob("decisions-train-unclear-*.jsonl.xz"), ("qqp-train",))
            if "not" not in as_text(found["questions"][0]["instructions"])]
    alike = [{**found, "questions": [{**found["questions"][0], "instructions": "How similar are the two in meaning?", "criteria": ["unrelated", "on one subject", "some details shared", "roughly the same", "nearly the same", "the same"]}]} for found in pairs(args, random)]
    both = {"junk mail": [noul("Is this junk mail?")(*one) for one in junk(args, random)], "tone of reviews": [noul("Is the review positive?")(*one) for one in dict(reviews(args, random)).items()],
            "news topic": news, "same question": same, "similarity": alike}
    drawn = {name: [rows[at] for at in random_.permutation(len(rows))] for name, rows in both.items()}
    return {name: (balanced(rows) if rows[0]["questions"][0]["type"] == "noul" else rows)[: SIZES[-1] + TESTED] for name, rows in drawn.items()}


def balanced(rows):
    """As many of both answers of a yes/no question."""
    kinds = [[row for row in rows if row["questions"][0]["gold"] is gold] for gold in (True, False)]
    return [row for pair in zip(*kinds) for row in pair]


@torch.inference_mode()
def read(model, tokenizer, rows):
    """Logits [rows, K], decide rows [rows, width], option rows [rows, K, width] and gold [rows]; states of several windows are left out."""
    packer = Packer(Layout(tokenizer), states=(0, 320))
    packer.add_rows(rows)
    with tempfile.TemporaryDirectory() as folder:
        packer.save(Path(folder))
        packed = Packed(folder)
    found, kept = [], {}
    model.read = lambda decides, ends, owner: (kept.update(d=decides, e=ends), TreeDecider.read(model, decides, ends, owner))[1]
    for chosen in packed.batches(4096, np.random.default_rng(0)):
        batch = packed.collate(chosen)
        logits = model(*batch["inputs"])
        count = len(logits) // len(batch["kinds"])
        found.append((logits.view(-1, count), kept["d"], kept["e"].view(-1, count, kept["e"].shape[-1]), batch["gold"].view(-1, count).argmax(-1)))
    return [torch.cat(part).float() for part in zip(*found)][:3] + [torch.cat([part[3] for part in found])]


def acting(kind, count):
    """How strongly each bias acts on each option [K, biases]: of a noul one on yes, of a choice one an option, of a score a tilt over the levels."""
    return {"noul": lambda: torch.tensor([[1.0], [0.0]]), "choice": lambda: torch.eye(count), "score": lambda: torch.linspace(-1, 1, count)[:, None]}[kind]()


def fit(data, strength, kind, steps=60):
    """Scale and biases [K], and with a strength the weights of a head [K, 2 · width]; the priors are those of the library. The features are centred and made of length about 1 for the fit."""
    logits, features, gold = data
    middle = features.mean(0)
    size = (features - middle).square().sum(-1).mean().sqrt()
    features = (features - middle) / size
    acts = acting(kind, logits.shape[1]).to(logits.dtype)
    scale, own = torch.ones(1, dtype=logits.dtype, requires_grad=True), torch.zeros(acts.shape[1], dtype=logits.dtype, requires_grad=True)
    head = torch.zeros(logits.shape[1], features.shape[-1], dtype=logits.dtype, requires_grad=strength is not None)
    chosen = [scale, own, *([head] if strength is not None else [])]
    optimizer = torch.optim.LBFGS(chosen, max_iter=steps, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(scored(logits, features, scale, acts @ own, head), gold, reduction="sum") + 2 * (scale - 1).square().sum() + 2 * own.square().sum()
        if strength is not None:
            loss = loss + strength * head.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    head = head / size
    return [part.detach() for part in (scale, acts @ own - (head * middle).sum(-1), head)]


def scored(logits, features, scale, bias, head):
    return logits * scale + bias + torch.einsum("nkf,kf->nk", features, head)


def judged(data, fitted):
    """Accuracy, loss and Brier score."""
    logits, features, gold = data
    chances = scored(logits, features, *fitted).softmax(-1)
    truth = F.one_hot(gold, chances.shape[1])
    return np.array([(chances.argmax(-1) == gold).float().mean(), F.nll_loss(chances.clamp_min(1e-9).log(), gold), (chances - truth).square().sum(-1).mean()])


def strength_of(data, kind, folds=3):
    """The strength of least loss on rows that were left out, None for no head."""
    numbers = torch.arange(len(data[2])) % folds
    losses = {strength: np.mean([judged([part[numbers == fold] for part in data], fit([part[numbers != fold] for part in data], strength, kind))[1] for fold in range(folds)]) for strength in STRENGTHS}
    return min(losses, key=losses.get)


def write(args):
    """The rows as `tessera eval` reads them, a file each."""
    args.rows.mkdir(parents=True, exist_ok=True)
    for name, rows in rows_of(args, np.random.default_rng(0)).items():
        asked = [{key: value for key, value in row["questions"][0].items() if key != "gold"} for row in rows]
        lines = [json.dumps({"state": row["state"], "questions": {"asked": question}, "labels": {"asked": row["questions"][0]["gold"]}}) for row, question in zip(rows, asked)]
        (args.rows / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "more"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("rows", "checkpoint", "base", "out"):
        parser.add_argument(f"--{name}", type=Path)
    args = parser.parse_args()
    if args.rows:
        return write(args)
    torch.set_num_threads(1)
    model = mean_weights(torch.load(args.checkpoint, weights_only=False)).eval()
    random_, found = np.random.default_rng(0), {}
    tokenizer = open_tokenizer(args.base / "tokenizer.json")
    for name, rows in rows_of(args, random_).items():
        kind = rows[0]["questions"][0]["type"]
        logits, decides, ends, gold = read(model, tokenizer, rows)
        features = torch.cat([decides[:, None].expand_as(ends), ends], -1)
        found[name] = {}
        for size in SIZES:
            figures, chosen = {"as shipped": [], "calibrated": [], "with a head": []}, []
            for _ in range(DRAWS):
                order = torch.from_numpy(random_.permutation(len(gold)))
                known, others = ([part[numbers] for part in (logits, features, gold)] for numbers in (order[:size], order[SIZES[-1] :]))
                strength = strength_of(known, kind)
                chosen.append(strength)
                figures["as shipped"].append(judged(others, [torch.ones(1), torch.zeros(logits.shape[1]), torch.zeros(logits.shape[1], features.shape[-1])]))
                figures["calibrated"].append(judged(others, fit(known, None, kind)))
                figures["with a head"].append(judged(others, fit(known, strength, kind)))
            found[name][size] = {way: dict(zip(("accuracy", "loss", "brier"), np.mean(each, 0).astype(float).round(4).tolist())) for way, each in figures.items()} | {"tested": len(gold) - SIZES[-1], "strengths": chosen}
            print(name, size, json.dumps(found[name][size]), flush=True)
    args.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
