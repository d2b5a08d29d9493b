"""Trains decide-mini on a GPU (or, for a try, a CPU): first as deep as it begins, then twice as deep, over seconds of wall time, with packs taken in as they are made.

A pack is a folder NAME-NUMBER below --work with a file `done` in it. The end, in float16 and without the word embeddings, which are not trained, goes to --out in pieces.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

import products
from gpu_rows import Mixture, Rows, worth_of
from grow import grown
from losses import loss_of_table
from model import Config, fresh
from rendering import KINDS
from train import groups

TYPES = {number: name for name, number in KINDS.items()}
HEAD, DECAY, WARM = 2, 0.95, 0.03


def loss_of(logits, batch):
    """The loss of `losses.py`, with all sizes known beforehand so that nothing waits for the GPU."""
    owner, slot = batch["inputs"][-1], batch["slot"]
    table = logits.new_full(batch["shape"], -torch.inf)
    table[owner, slot] = logits
    return loss_of_table(table, owner, slot, batch["sizes"], batch)


class Training:
    """The model, its optimiser and the running mean of its weights."""

    def __init__(self, model, averaged, compiled):
        self.model, self.averaged, self.step = model, averaged, 0
        for layer in model.layers:
            if compiled:
                layer.compile(dynamic=True)
        self.optimizer = torch.optim.AdamW(groups(model, False, HEAD, DECAY), betas=(0.9, 0.98), eps=1e-6, fused=True)
        self.trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.mean = [parameter.detach().clone() for parameter in self.trained]

    def learn(self, batch, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        loss, right = loss_of(self.model(*batch["inputs"]), batch)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.trained, 1.0, foreach=True)
        # the fused step is left out where this is 1: one gradient that is no number would end the run
        self.optimizer.found_inf = (~norm.isfinite()).float()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            torch._foreach_lerp_(self.mean, self.trained, 1 - min(self.averaged, (self.step + 1) / (self.step + 10)))
        self.step += 1
        return torch.stack([loss.detach(), right.float().mean(), self.optimizer.found_inf])

    @torch.no_grad()
    def averaged_for(self, work):
        """The result of `work(model)` with the running mean in the model's place."""
        kept = [parameter.detach().clone() for parameter in self.trained]
        torch._foreach_copy_(self.trained, self.mean)
        found = work(self.model)
        torch._foreach_copy_(self.trained, kept)
        return found


@torch.no_grad()
def figures(model, rows, numbers, heldout, budget):
    """Accuracy per held-out part and type, each window by itself."""
    model.eval()
    tally = {}
    for chosen in rows.batches(numbers, budget):
        batch = rows.collate(chosen)
        _, right = loss_of(model(*batch["inputs"]), batch)
        for asked, kind, hit in zip(batch["asked"], batch["kinds"].tolist(), right.tolist()):
            tally.setdefault(f"{heldout[asked]} {TYPES[kind]}", []).append(hit)
    model.train()
    return {key: round(float(np.mean(hits)), 4) for key, hits in sorted(tally.items())}


def save(model, out, name, piece=15 * 2**20):
    """The trained weights in float16, in files that are small enough to be carried."""
    parts, size = [{}], 0
    for key, weight in model.state_dict().items():
        if key == "words.weight":
            continue
        if size + 2 * weight.numel() > piece:
            parts, size = [*parts, {}], 0
        parts[-1][key] = weight.half().cpu().clone()
        size += 2 * weight.numel()
    for number, part in enumerate(parts):
        torch.save(part, out / f"{name}-{number}.pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--start", type=Path, required=True, help="float32 bundle to begin with")
    parser.add_argument("--work", type=Path, required=True, help="folder of the packs, with dev-0 and everyday-0")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--grow", type=float, default=0.3, help="share of the time after which there are twice as many layers; 1 for never")
    parser.add_argument("--budget", type=int, default=32768, help="padded tokens a batch")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--even", type=float, default=0.45, help="share of the time from which on the rate falls")
    parser.add_argument("--averaged", type=float, default=0.999)
    parser.add_argument("--measure", type=float, default=90, help="seconds between figures on the developer set, when the weights are saved too")
    parser.add_argument("--look", type=int, default=1, help="take figures from every so many rows only")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    begun, random, shares = time.time(), np.random.default_rng(1), json.loads((Path(__file__).parent / "gpu-shares.json").read_text())
    torch.set_flush_denormal(True)
    products.ROUNDED = products.is_faster_rounded()
    worth = json.loads((Path(__file__).parent / "worth.json").read_text())
    rows = Rows(args.device)
    mixture, taken = Mixture(rows, random), set()

    def take_in():
        for file in sorted(args.work.glob("*/done")):
            name = file.parent.name.split("-")[0]
            if file.parent in taken or name not in shares:
                continue
            taken.add(file.parent)
            mixture.add(name, rows.add(file.parent), worth_of(file.parent, worth) if name in ("mix", "train") else None)
            print(f"{time.time() - begun:6.1f} s  {file.parent.name}: {len(mixture.packs[name][0])} rows of {name}, {rows.rows[-1] / 1e6:.1f}M tokens in all", flush=True)

    dev, everyday = Rows(args.device), Rows(args.device)
    asked_of = [(dev, dev.add(args.work / "dev-0"), json.loads((args.work / "dev-0" / "sources.json").read_text())[1]),
                (everyday, everyday.add(args.work / "everyday-0"), ["everyday"] * 10**4)]
    take_in()
    while not mixture.packs:
        time.sleep(1)
        take_in()
    training = Training(fresh(Config.read(args.start), args.start).to(args.device), args.averaged, args.compile)
    grown_at, seen, window, measured, looked, pool = None, 0, [], time.time(), time.time(), []

    def measure():
        found = training.averaged_for(lambda model: {key: value for data, numbers, heldout in asked_of for key, value in figures(model, data, numbers[:: args.look], heldout, args.budget).items()})
        print(json.dumps({"seconds": round(time.time() - begun), "layers": len(training.model.layers), "steps": training.step, "tokens": seen, **found}), flush=True)

    measure()
    tick = time.time()
    while (spent := time.time() - begun) < args.seconds:
        if not pool:
            if time.time() - looked > 15:
                looked = time.time()
                take_in()
            pool = mixture.pool(shares, args.budget)
        if grown_at is None and spent > args.grow * args.seconds:
            measure()
            training.averaged_for(lambda model: save(model, args.out, "shallow"))
            inputs = rows.collate(pool[0])["inputs"]
            model = training.averaged_for(lambda model: grown(model.eval(), inputs)).train()
            training, grown_at = Training(model, args.averaged, args.compile), spent
            measure()
        since, left = spent - (grown_at or 0), args.seconds - spent
        rate = args.rate * min(1, since / (WARM * args.seconds), max(left / ((1 - args.even) * args.seconds), 0.002))
        batch = rows.collate(pool.pop())
        window.append(training.learn(batch, rate))
        seen += batch["inputs"][0].numel()
        if len(window) == 100:
            found = torch.stack(window)
            skipped, now = int(found[:, 2].sum().item()), time.time()
            if skipped > len(window) / 2:
                raise FloatingPointError(f"{skipped} of the last {len(window)} gradients are not finite; lower --rate")
            loss, right = found[found[:, 2] == 0, :2].mean(0).tolist()
            print(f"{now - begun:6.1f} s  step {training.step}  loss {loss:.4f} right {right:.4f}  rate {rate:.2e}  {seen / 1e6:.1f}M tokens  {(now - tick) * 10:.1f} ms a step, {skipped} left out", flush=True)
            window, tick = [], now
        if time.time() - measured > args.measure:
            measure()
            training.averaged_for(lambda model: save(model, args.out, "end"))
            measured = tick = time.time()
    measure()
    training.averaged_for(lambda model: save(model, args.out, "end"))


if __name__ == "__main__":
    main()
