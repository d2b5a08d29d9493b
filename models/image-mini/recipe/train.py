"""Trains the text encoder and the transformer together for a given time, from start.pt or its own checkpoint.

Flow matching on encoded scenes and edits. Muon for the matrices of the blocks, AdamW for the rest; the schedule goes over time spent,
so a run of any length ends annealed. At every checkpoint fresh scenes are drawn with the averaged weights and compared.
"""
import argparse
import copy
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

import codes
import text_encoder as words
import transformer as dit
from batches import Batches
from content import AT, CHANNELS, Contents
from looks import Looks
from measure import measure
from reader import Reader
from sample import GRID
from start import build, given

# Edits per scene at first and later: most of an edit is a copy, soon learned by a model that can draw, and costs twice as much; what is
# neither copied nor said, such as the gray of a colour, takes many.
EDIT_SHARES, DRAW_FIRST = (0.25, 1.5), 0.7
# Letters fill few tokens and few of their channels; the colour behind is three channels and most of what is seen.
WEIGHTS = torch.ones(CHANNELS)
for field in ("letters", "left", "right", "half", "wide", "serif", "ink", "tinted", "tint"):
    WEIGHTS[AT[field]] = 2.0
WEIGHTS[AT["border"]] = 4.0
WEIGHTS[AT["back"]] = 12.0
# What a component of looks counts for on average; each by the levels that it stands for, as in the training of the encoder.
LOOKS = 1.5
# Every so many steps the edits are combinations of two pictures, fewer for they cost more.
COMBINE_EVERY, COMBINED = 6, 0.5


def draw_levels(count):
    """Noise levels. Much of a scene shows through all but the strongest noise, so only there is the caption needed: more than half."""
    strong = 1 - 0.2 * torch.rand(count).square()
    return torch.where(torch.rand(count) < 0.6, strong, torch.sigmoid(1.2 * torch.randn(count)))


def loss_of(model, ids, lengths, target, references, rotary, weights):
    sigma = draw_levels(len(target)).to(target.device)
    noise = torch.randn_like(target)
    tokens = torch.lerp(target, noise, sigma[:, None, None])
    tokens = torch.cat([tokens, *references], 1)
    velocity = model["image"](tokens, model["text"](ids, lengths), sigma, rotary)
    return ((velocity[:, :target.shape[1]].float() - (noise - target)).square() * weights).mean()


def schedule(progress):
    return min(1, progress / 0.03 + 0.02, max(0.01, (1 - progress) / 0.4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with tokenizer.json, codes.npy and start.pt; checkpoints go here")
    parser.add_argument("--minutes", type=float, default=85)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=12, help="scenes a step; edits come on top")
    parser.add_argument("--rate", type=float, default=6e-3, help="Muon's learning rate; AdamW's is a quarter of it")
    parser.add_argument("--shares", type=float, nargs=2, default=EDIT_SHARES, help="edits per scene at first and later")
    parser.add_argument("--precise", action="store_true", help="products in float32, which is faster where a processor has no units for 16 bits")
    parser.add_argument("--every", type=float, default=6, help="minutes between checkpoints")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    tokenizer, path = Tokenizer.from_file(str(args.work / "tokenizer.json")), args.work / "checkpoint.pt"
    model = build(tokenizer).to(args.device)
    model.load_state_dict(torch.load(args.work / "start.pt", map_location=args.device))
    averaged = copy.deepcopy(model).requires_grad_(False)
    fixed = given(tokenizer)
    inner = {name for name, p in model.named_parameters() if p.ndim == 2 and (".layers." in name or "_blocks." in name)}
    matrices = [p for name, p in model.named_parameters() if name in inner]
    others = [p for name, p in model.named_parameters() if name not in inner]
    optimizers = [torch.optim.Muon(matrices, lr=args.rate, momentum=0.95, weight_decay=0.01),
                  torch.optim.AdamW(others, lr=args.rate / 4, betas=(0.9, 0.98), weight_decay=0.0)]
    trained, mean_of = list(model.parameters()), list(averaged.parameters())
    rates = [group["lr"] for optimizer in optimizers for group in optimizer.param_groups]
    spent, step = 0.0, 0
    if path.exists():
        saved = torch.load(path, map_location=args.device)
        model.load_state_dict(saved["model"])
        averaged.load_state_dict(saved["averaged"])
        for optimizer, state in zip(optimizers, saved["optimizers"]):
            optimizer.load_state_dict(state)
        spent, step = saved["spent"], saved["step"]
    contents, rng = Contents(codes.load(args.work / "codes.npy"), Looks.load(args.data, args.work / "looks.npz")), np.random.default_rng(step)
    weights, scale = WEIGHTS.clone().to(args.device), torch.from_numpy(contents.looks.scale).to(args.device)
    weights[AT["look"]] = LOOKS * scale / scale.mean()
    reader = Reader(args.data, args.work, args.device, contents, args.precise) if (args.work / "encoder.pt").exists() else None
    batches = Batches(contents, tokenizer, args.device, rng, reader)
    rotaries = [tuple(table.to(args.device) for table in dit.rotary_table(model["image"].config, words.LENGTH, [GRID] * grids))
                for grids in (1, 2, 3)]
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters", flush=True)

    def save():
        torch.save({"model": model.state_dict(), "averaged": averaged.state_dict(), "optimizers": [o.state_dict() for o in optimizers],
                    "config": {"text": asdict(model["text"].config), "image": asdict(model["image"].config)}, "spent": spent, "step": step},
                   path.with_suffix(".tmp"))
        path.with_suffix(".tmp").rename(path)
        for kind, figures in measure(averaged, Batches(contents, tokenizer, args.device, np.random.default_rng(777))).items():
            print(f"  {kind:8}", *(f"{name} {value}" for name, value in figures.items()), flush=True)

    window, tick, saved_at = [], time.time(), spent
    while spent < args.minutes * 60:
        scale = schedule(spent / (args.minutes * 60))
        for group, rate in zip((g for o in optimizers for g in o.param_groups), rates):
            group["lr"] = rate * scale
        losses = []
        count = max(1, round(args.batch * args.shares[spent >= DRAW_FIRST * args.minutes * 60]))
        combine = step % COMBINE_EVERY == 0
        tasks = (batches.draw_scenes, args.batch), (batches.draw_combinations, max(1, round(COMBINED * count))) if combine else (batches.draw_edits, count)
        for draw, size in tasks:
            ids, lengths, target, *references = draw(size)
            with torch.autocast(args.device, torch.bfloat16, enabled=not args.precise):
                loss = loss_of(model, ids, lengths, target, references, rotaries[len(references)], weights)
            (loss * size / (args.batch + count)).backward()
            losses.append(loss.item())
        model["text"].embed_tokens.weight.grad[fixed] = 0
        torch.nn.utils.clip_grad_norm_(others, 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            keep = min(0.995, 1 - 1 / (step / 4 + 2))
            torch._foreach_lerp_(mean_of, trained, 1 - keep)
        now = time.time()
        # a pause of the process (a stopped job, a suspended machine) is not training time
        spent, tick, step = spent + min(now - tick, 30), now, step + 1
        window.append(losses)
        if step % 50 == 0:
            mean = np.mean(window, 0)
            print(f"{spent / 60:6.1f} min  step {step}  loss {mean[0]:.4f} edits {mean[1]:.4f}", flush=True)
            window = []
        if spent - saved_at > args.every * 60:
            saved_at = spent
            save()
            tick = time.time()
    save()


if __name__ == "__main__":
    main()
