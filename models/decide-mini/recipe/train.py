"""Fine-tunes a pretrained encoder to typed questions over wall time, in the phases of a table; restartable.

A mean of the weights over the last steps is kept beside them and is what is exported.
"""
import argparse
import json
import signal
import time
from pathlib import Path

import numpy as np
import torch

import products
from batches import Packed
from evaluate import quick
from losses import loss_of
from model import Config, fresh

# The learning rate of a layer is this much that of the one above it, and a new head's this many times the encoder's.
DECAY, HEAD = 0.9, 4
AVERAGED = 0.998


def groups(model, words, head=HEAD, shrink=DECAY):
    """Parameters with their shares of the learning rate; nothing decays norms and biases."""
    found, depth = {}, len(model.layers)
    for name, parameter in model.named_parameters():
        if name == "words.weight" and not words:
            parameter.requires_grad_(False)
            continue
        layer = int(name.split(".")[1]) if name.startswith("layers.") else depth if name.split(".")[0] in ("option", "decide", "score", "levels") else -1
        scale = head if layer == depth else shrink ** (depth - 1 - layer)
        decay = 0.01 if parameter.ndim == 2 and layer >= 0 else 0.0
        found.setdefault((scale, decay), []).append(parameter)
    return [{"params": parameters, "lr": 0.0, "scale": scale, "weight_decay": decay} for (scale, decay), parameters in found.items()]


class Phases:
    """What is read and how fast is learnt by the minute, from a table of minutes that is stretched to the time there is."""

    def __init__(self, file, minutes, without=()):
        table = json.loads(Path(file).read_text())
        self.phases = [{**phase, "packs": {name: share for name, share in phase["packs"].items() if name not in without}} for phase in table["phases"]]
        for phase in self.phases:
            assert phase["packs"], f"nothing is left of the phase to minute {phase['to']} without {', '.join(without)}"
        self.seconds = 60 * minutes / self.phases[-1]["to"]
        self.rates = np.array(table["rate"])

    def names(self):
        return sorted({name for phase in self.phases for name in phase["packs"]})

    def at(self, spent):
        """The phase after so many seconds, the last one for ever."""
        return next((phase for phase in self.phases if spent < phase["to"] * self.seconds), self.phases[-1])

    def rate(self, spent):
        """The learning rate, straight between the points of the table; of two points at one minute the later one counts from there on."""
        minute, (minutes, rates) = spent / self.seconds, self.rates.T
        after = np.searchsorted(minutes, minute, side="right")
        if after == len(minutes):
            return float(rates[-1])
        share = (minute - minutes[after - 1]) / (minutes[after] - minutes[after - 1])
        return float(rates[after - 1] + share * (rates[after] - rates[after - 1]))


def mixed(packs, worth, budget, phase_now, random):
    """Batches without end: each pack as often as its share in the phase says, each row of a length that the phase has as often as it is worth."""
    phase, names = None, list(packs)
    while True:
        if phase is not phase_now():
            phase, waiting = phase_now(), {name: [] for name in names}
            longest = phase["longest"] or 10**6
            # a pack of long rows alone waits until it has any that may be read
            shares = np.array([phase["packs"].get(name, 0) * (packs[name].lengths <= longest).any() for name in names])
        name = names[random.choice(len(names), p=shares / shares.sum())]
        if not waiting[name]:
            chosen = (packs[name].lengths <= longest) & (random.random(len(worth[name])) < worth[name])
            waiting[name] = packs[name].batches(budget, random, np.flatnonzero(chosen))
        yield name, waiting[name].pop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with packs and dev/; checkpoints go here")
    parser.add_argument("--base", type=Path, required=True, help="folder of the pretrained encoder: config.json and model.safetensors")
    parser.add_argument("--phases", type=Path, default=Path(__file__).parent / "phases.json", help="packs, lengths of rows and rates by the minute")
    parser.add_argument("--without", nargs="*", default=[], help="packs that are left out of every phase")
    parser.add_argument("--minutes", type=float, help="to stretch the table of phases to; its own by default")
    parser.add_argument("--budget", type=int, default=1536, help="padded tokens a batch")
    parser.add_argument("--words", action="store_true", help="train the word embeddings too")
    parser.add_argument("--every", type=float, default=5, help="minutes between checkpoints")
    parser.add_argument("--measure", type=float, default=12, help="minutes between figures on part of the developer set")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", default="checkpoint")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    products.ROUNDED = products.is_faster_rounded()
    print(f"layers in {'bfloat16' if products.ROUNDED else 'float32'}", flush=True)
    minutes = args.minutes or json.loads(args.phases.read_text())["phases"][-1]["to"]
    phases = Phases(args.phases, minutes, args.without)
    packs, dev = {name: Packed(args.work / name) for name in phases.names()}, Packed(args.work / "dev")
    table = json.loads((Path(__file__).parent / "worth.json").read_text())
    worth = {name: pack.worth(table if name in ("mix", "train") else {"": 1.0}) for name, pack in packs.items()}
    model, path, spent, step, seen = fresh(Config.read(args.base), args.base), args.work / f"{args.name}.pt", 0.0, 0, 0
    optimizer = torch.optim.AdamW(groups(model, args.words), betas=(0.9, 0.98), eps=1e-6, fused=True)
    trained_names, trained = zip(*((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad))
    mean = [parameter.detach().clone() for parameter in trained]
    if args.resume and path.exists():
        saved = torch.load(path, weights_only=False)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict({**saved["optimizer"], "param_groups": [{**old, "scale": new["scale"]} for old, new in zip(saved["optimizer"]["param_groups"], optimizer.state_dict()["param_groups"])]})
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
    for name, rows in mixed(packs, worth, args.budget, lambda: phases.at(spent), random):
        rate = phases.rate(spent)
        for group in optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        batch = packs[name].collate(rows)
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
        window.setdefault(name, []).append((loss.item(), right.float().mean().item()))
        if step % 50 == 0:
            parts = "  ".join(f"{pack} {np.mean(found, 0)[0]:.4f} right {np.mean(found, 0)[1]:.4f}" for pack, found in sorted(window.items()))
            print(f"{spent / 60:6.1f} min  step {step}  {parts}  {(seen - first) / max(spent - begun, 1):.0f} tokens/s", flush=True)
            window = {}
        ended = stopping or spent >= minutes * 60
        if ended or spent - saved_at > args.every * 60:
            measured = not stopping and spent - measured_at > args.measure * 60
            saved_at, measured_at = spent, spent if measured else measured_at
            save(measured)
            tick = time.time()
        if ended:
            break


if __name__ == "__main__":
    main()
