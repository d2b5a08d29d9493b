"""Trains decide-mini for a given time; restartable from its own checkpoint.

Muon for the matrices, AdamW for embeddings and gains, a trapezoidal schedule over wall time (warm-up 2 %, decay over the last
30 %), so a run of any length ends annealed. `--device cuda` uses the same code.
"""
import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from batches import Packed, per_question
from first_weights import count_tokens, first_weights
from model import Config, DecideMini

SCORE = 2
# Short rows first: as many questions in two thirds of the tokens, and what they teach is needed for long ones too.
SHORT, SHORT_FIRST = 160, 0.6
# Sources answered wrong this often are read whole, others less and known ones a fifth; measured on so many rows of each.
DIFFICULT, LEAST, MEASURED = 0.4, 0.2, 60
# What a new model must be able to do before other questions teach it anything, and until which share of the time it is taught first.
LESSONS, LESSON_SHARE = (("compare", 0.15), ("belonging", 0.21), ("cells", 0.28), ("numbers", 0.33), ("meaning", 0.41)), 0.75


def loss_of(logits, batch):
    table, slot = per_question(logits, batch["owner"], len(batch["kinds"]))
    gold = torch.zeros_like(table)
    gold[batch["owner"], slot] = batch["gold"]
    logs = F.log_softmax(table, -1)
    entropy = -(gold * logs.masked_fill(table.isinf(), 0)).sum(-1)
    # ranked probability score: for levels, a near miss costs less than a far one
    ranked = ((logs.exp() - gold).cumsum(-1) ** 2).sum(-1) * (batch["kinds"] == SCORE)
    right = table.argmax(-1) == gold.argmax(-1)
    return entropy.mean() + 0.3 * ranked.mean(), right


@torch.no_grad()
def answers(model, packed, batches, device):
    """The questions of some batches, each with its type and whether it is answered right."""
    model.eval()
    for rows in batches:
        batch = {k: v.to(device) if torch.is_tensor(v) else v for k, v in packed.collate(rows).items()}
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model(*(batch[k] for k in ("tokens", "positions", "mask", "decides", "ends", "owner")))
        _, right = loss_of(logits, batch)
        yield from zip(batch["asked"], batch["kinds"].tolist(), right.tolist())
    model.train()


def worth_of(model, packed, device, budget):
    """The chance of each row to be read [rows]: the less, the more of its source is answered right already. Measured on some short rows of each."""
    of, _ = packed.sources()
    names, source = np.unique(np.array(of)[packed.first[:-1]], return_inverse=True)
    order = np.random.default_rng(0).permutation(np.flatnonzero(packed.lengths <= SHORT))
    place = np.empty(len(order), int)
    by_source = np.argsort(source[order], kind="stable")
    place[by_source] = np.arange(len(order)) - np.searchsorted(source[order][by_source], source[order][by_source])
    hits, asked = np.ones(len(names)), np.full(len(names), 2)
    owner = np.repeat(np.arange(len(packed.lengths)), np.diff(packed.first))
    few = order[place < MEASURED]
    for number, _, hit in answers(model, packed, packed.batches(budget, np.random.default_rng(0), worth=np.isin(np.arange(len(packed.lengths)), few)), device):
        hits[source[owner[number]]] += hit
        asked[source[owner[number]]] += 1
    return np.clip((1 - hits / asked) / DIFFICULT, LEAST, 1)[source]


def evaluate(model, packed, device, budget):
    """Accuracy per held-out part and question type."""
    _, heldout = packed.sources()
    tally = {}
    for number, kind, hit in answers(model, packed, packed.batches(budget, np.random.default_rng(0)), device):
        tally.setdefault((heldout[number], ("noul", "choice", "score")[kind]), []).append(hit)
    return {" ".join(key): round(float(np.mean(hits)), 4) for key, hits in sorted(tally.items())}


def mixed(labelled, made, share, random):
    """Batches of both, each with whether it was made; `share` of them are, drawn from again when they run out."""
    more = iter(())
    for rows in labelled():
        while random.random() < share:
            found = next(more, None)
            if found is None:
                more = iter(made())
                found = next(more)
            yield True, found
        yield False, rows


def schedule(progress):
    return min(1, progress / 0.02, max(0.02, (1 - progress) / 0.3))


def phase_at(progress, new_lookup):
    """Whether only short rows are read, and the lesson that made questions are of, if any."""
    return progress < SHORT_FIRST, next((name for name, until in LESSONS if new_lookup and progress < until), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with train/, made/, dev/ and, for a new start, embeddings.npy and the lessons; checkpoints go here")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=int, default=12288, help="padded tokens a batch")
    parser.add_argument("--rate", type=float, default=2e-3, help="Muon's learning rate")
    parser.add_argument("--rate-words", type=float, default=3e-4, help="AdamW's, small: words that training meets seldom keep their place among the others")
    parser.add_argument("--every", type=float, default=10, help="minutes between checkpoints")
    parser.add_argument("--layers", type=int, default=Config.num_hidden_layers)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--start", type=Path, help="exported bundle to start from, instead of weights that match words")
    parser.add_argument("--made", default="made", help="folder of the made questions; a lesson's for a model that goes on without having had it")
    parser.add_argument("--made-share", type=float, default=0.4, help="share of batches with made questions")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    torch.set_flush_denormal(True)
    train, made, dev = (Packed(args.work / name) for name in ("train", args.made, "dev"))
    config = Config(num_hidden_layers=args.layers)
    model = DecideMini(config)
    path, spent, step, epoch = args.work / "checkpoint.pt", 0.0, 0, 0
    if args.resume:
        saved = torch.load(path, map_location=args.device)
        weights, spent, step, epoch, new_lookup = (saved[name] for name in ("model", "spent", "step", "epoch", "new_lookup"))
    else:
        weights, new_lookup = first_weights(config, args.work, count_tokens(args.work, config), args.start)
    model.load_state_dict(weights)
    model.to(args.device)
    # one compiled form for all lengths; needs a C++ compiler on a CPU
    torch._dynamo.config.recompile_limit = 64
    for layer in model.model.layers:
        layer.compile(dynamic=True)
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or "embed" in n]
    optimizers = [
        torch.optim.Muon(matrices, lr=args.rate, momentum=0.95, weight_decay=0.01),
        torch.optim.AdamW(others, lr=args.rate_words, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]
    rates = [group["lr"] for optimizer in optimizers for group in optimizer.param_groups]
    if args.resume:
        for optimizer, state in zip(optimizers, saved["optimizers"]):
            optimizer.load_state_dict(state)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters, {sum(p.numel() for p in matrices) / 1e6:.1f}M in matrices")

    def save():
        torch.save({"model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers], "config": asdict(model.config),
                    "spent": spent, "step": step, "epoch": epoch, "new_lookup": new_lookup}, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").rename(path)
        print(json.dumps({"minutes": round(spent / 60, 1), "step": step, "epoch": epoch, **evaluate(model, dev, args.device, args.budget)}), flush=True)

    worth = worth_of(model, train, args.device, args.budget)
    print(f"{worth.mean():.2f} of the labelled rows are read", flush=True)
    window, tokens, tick, begun, saved_at = {False: [], True: []}, 0, time.time(), spent, spent
    while spent < args.minutes * 60:
        short, lesson = phase = phase_at(spent / (args.minutes * 60), new_lookup)
        made_rows, share = (Packed(args.work / lesson), LESSON_SHARE) if lesson else (made, args.made_share)
        # seeded by the step as well, so that a resumed run does not repeat the rows it has seen first
        random = np.random.default_rng([epoch, step])
        drawn = (lambda packed=packed, worth=worth: packed.batches(args.budget, random, SHORT if short else None, worth)
                 for packed, worth in ((train, worth), (made_rows, None)))
        for is_made, rows in mixed(*drawn, share, random):
            scale = schedule(spent / (args.minutes * 60))
            for group, rate in zip((g for o in optimizers for g in o.param_groups), rates):
                group["lr"] = rate * scale
            batch = {k: v.to(args.device) if torch.is_tensor(v) else v for k, v in (made_rows if is_made else train).collate(rows).items()}
            # a CPU rounds the factors of its products only (products.py): with everything in 16 bits it was slower than in 32
            with torch.autocast(args.device, torch.bfloat16, enabled=args.device == "cuda"):
                logits = model(*(batch[k] for k in ("tokens", "positions", "mask", "decides", "ends", "owner")))
            loss, right = loss_of(logits, batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(others, 1.0)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            now = time.time()
            # a pause of the process (a stopped job, a suspended machine) is not training time
            spent, tick = spent + min(now - tick, 30), now
            step, tokens = step + 1, tokens + batch["tokens"].numel()
            window[is_made].append((loss.item(), right.float().mean().item()))
            if step % 50 == 0:
                means = "  ".join(f"{name} loss {loss:.4f} right {hits:.4f}" for name, part in (("labelled", False), ("made", True)) if window[part]
                                  for loss, hits in [np.mean(window[part], 0)])
                print(f"{spent / 60:6.1f} min  step {step}  {means}  {tokens / max(spent - begun, 1):.0f} tokens/s", flush=True)
                window = {False: [], True: []}
            if spent - saved_at > args.every * 60:
                saved_at = spent
                save()
                tick = time.time()
            if spent >= args.minutes * 60 or phase != phase_at(spent / (args.minutes * 60), new_lookup):
                break
        else:
            epoch += 1
    save()


if __name__ == "__main__":
    main()
