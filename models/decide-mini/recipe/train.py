"""Fine-tunes a pretrained encoder to typed questions over wall time; restartable.

A mean of the weights over the last steps is kept beside them and is what is exported.
"""
import argparse
import json
import signal
import time
from pathlib import Path

import numpy as np
import torch

from batches import Packed
from evaluate import quick
from losses import loss_of
from model import Config, fresh

# The learning rate of a layer is this much that of the one above it, and a new head's this many times the encoder's.
DECAY, HEAD = 0.9, 4
AVERAGED = 0.998


def groups(model, rate, words):
    """Parameters with their learning rates; nothing decays norms and biases."""
    found, depth = {}, len(model.layers)
    for name, parameter in model.named_parameters():
        if name == "words.weight" and not words:
            parameter.requires_grad_(False)
            continue
        layer = int(name.split(".")[1]) if name.startswith("layers.") else depth if name.split(".")[0] in ("option", "decide", "score", "levels") else -1
        scale = HEAD if layer == depth else DECAY ** (depth - 1 - layer)
        decay = 0.01 if parameter.ndim == 2 and layer >= 0 else 0.0
        found.setdefault((scale, decay), []).append(parameter)
    return [{"params": parameters, "lr": rate * scale, "rate": rate * scale, "weight_decay": decay} for (scale, decay), parameters in found.items()]


def schedule(progress, falling):
    """Warm, flat, then straight down over the last share of the time."""
    return min(1.0, progress / 0.02 + 0.02, max(0.01, (1 - progress) / falling))


def mixed(packs, shares, worth, budget, longest, random):
    """Batches of several packs without end, each pack as often as its share says, each row as often as it is worth; `longest` says which length rows may have by now.

    A pack of long rows alone waits until it has any that may be read.
    """
    limit = None
    while True:
        if limit != longest():
            waiting, limit = [[] for _ in packs], longest()
            now = shares * [(pack.lengths <= limit).any() for pack in packs]
        at = random.choice(len(packs), p=now / now.sum())
        if not waiting[at]:
            chosen = (packs[at].lengths <= limit) & (random.random(len(worth[at])) < worth[at])
            waiting[at] = packs[at].batches(budget, random, np.flatnonzero(chosen))
        yield at, waiting[at].pop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with packs and dev/; checkpoints go here")
    parser.add_argument("--base", type=Path, required=True, help="folder of the pretrained encoder: config.json and model.safetensors")
    parser.add_argument("--packs", nargs="+", default=["mix=1"], help="folder=share of the batches")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--budget", type=int, default=1536, help="padded tokens a batch")
    parser.add_argument("--short", type=int, default=96, help="rows of more tokens are left out at first")
    parser.add_argument("--short-share", type=float, default=0.7, help="of the time for short rows only")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--falling", type=float, default=0.4, help="share of the time in which the rate falls")
    parser.add_argument("--words", action="store_true", help="train the word embeddings too")
    parser.add_argument("--every", type=float, default=5, help="minutes between checkpoints")
    parser.add_argument("--measure", type=float, default=12, help="minutes between figures on part of the developer set")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", default="checkpoint")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    names, shares = zip(*((name, float(share)) for name, share in (pack.split("=") for pack in args.packs)))
    packs, dev = [Packed(args.work / name) for name in names], Packed(args.work / "dev")
    shares = np.array(shares) / sum(shares)
    table = json.loads((Path(__file__).parent / "worth.json").read_text())
    worth = [pack.worth(table if name in ("mix", "train") else {"": 1.0}) for name, pack in zip(names, packs)]
    model, path, spent, step, seen = fresh(Config.read(args.base), args.base), args.work / f"{args.name}.pt", 0.0, 0, 0
    optimizer = torch.optim.AdamW(groups(model, args.rate, args.words), betas=(0.9, 0.98), eps=1e-6, fused=True)
    trained_names, trained = zip(*((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad))
    mean = [parameter.detach().clone() for parameter in trained]
    if args.resume and path.exists():
        saved = torch.load(path, weights_only=False)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict({**saved["optimizer"], "param_groups": [{**old, "rate": new["rate"]} for old, new in zip(saved["optimizer"]["param_groups"], optimizer.state_dict()["param_groups"])]})
        mean, spent, step, seen = [saved["mean"][name] for name in trained_names], saved["spent"], saved["step"], saved["seen"]
    random, window, tick, begun, first = np.random.default_rng([1, step]), {}, time.time(), spent, seen
    saved_at, measured_at, chosen = spent, spent, dev.some(700, 128)

    def save(measured):
        torch.save({"model": model.state_dict(), "mean": dict(zip(trained_names, mean)), "optimizer": optimizer.state_dict(), "config": model.config, "spent": spent, "step": step, "seen": seen}, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").rename(path)
        if not measured:
            return
        kept = [parameter.detach().clone() for parameter in trained]
        with torch.no_grad():
            torch._foreach_copy_(trained, mean)
            print(json.dumps({"minutes": round(spent / 60, 1), "step": step, "tokens": seen, **quick(model, dev, chosen)}), flush=True)
            torch._foreach_copy_(trained, kept)

    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    longest = lambda: args.short if spent < args.short_share * args.minutes * 60 else 10**6
    for at, rows in mixed(packs, shares, worth, args.budget, longest, random):
        scale = schedule(spent / (args.minutes * 60), args.falling)
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * scale
        batch = packs[at].collate(rows)
        loss, right = loss_of(model(*batch["inputs"]), batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(AVERAGED, (step + 1) / (step + 10)))
        now = time.time()
        # a pause of the process (a stopped job, a suspended machine) is not training time
        spent, tick = spent + min(now - tick, 30), now
        step, seen = step + 1, seen + batch["inputs"][0].numel()
        window.setdefault(names[at], []).append((loss.item(), right.float().mean().item()))
        if step % 50 == 0:
            parts = "  ".join(f"{name} {np.mean(found, 0)[0]:.4f} right {np.mean(found, 0)[1]:.4f}" for name, found in sorted(window.items()))
            print(f"{spent / 60:6.1f} min  step {step}  {parts}  {(seen - first) / max(spent - begun, 1):.0f} tokens/s", flush=True)
            window = {}
        ended = stopping or spent >= args.minutes * 60
        if ended or spent - saved_at > args.every * 60:
            measured = not stopping and spent - measured_at > args.measure * 60
            saved_at, measured_at = spent, spent if measured else measured_at
            save(measured)
            tick = time.time()
        if ended:
            break


if __name__ == "__main__":
    main()
