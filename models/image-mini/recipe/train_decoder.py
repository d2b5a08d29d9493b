"""Trains the decoder of the autoencoder for a given time; restartable from its own checkpoint.

Half the pictures are scenes as the transformer makes them, half are crowded, since a plain background teaches little. Noise on the
latents makes the decoder forgive small errors of the transformer.
"""
import argparse
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.torch import load_file

from autoencoder import Config, Decoder, initialize
from principal import Latents
from scenes import COLOURS, OBJECTS, STYLES, Renderer, Scene
from tasks import random_item, random_pair, random_scene

NOISE = 0.1


def crowded(rng):
    places = rng.permutation(["top left", "top right", "bottom left", "bottom right"])
    ground = {"background": rng.choice(list(COLOURS)), "fade": ""}
    items = tuple(random_item(rng, rng.choice(list(OBJECTS)), place, rng.choice(STYLES), ground) for place in places)
    return Scene(**ground, items=items)


def draw_batch(renderer, rng, count):
    scenes = [crowded(rng) if i % 2 else random_scene(rng) if i % 4 else random_pair(rng)[1] for i in range(count)]
    return np.stack([renderer.render(scene) for scene in scenes])


def edges(x):
    return x[..., 1:] - x[..., :-1], x[..., 1:, :] - x[..., :-1, :]


def loss_of(pictures, decoded):
    difference = decoded - pictures
    sharpness = sum((a - b).abs().mean() for a, b in zip(edges(decoded), edges(pictures)))
    return difference.abs().mean() + 2 * difference.square().mean() + sharpness


def start_from(model, bundle):
    own = model.state_dict()
    tensors = {name.removeprefix("decoder."): tensor.float()
               for name, tensor in load_file(bundle / "vae" / "diffusion_pytorch_model.safetensors").items()}
    model.load_state_dict({name: tensors[name] if name in tensors and tensors[name].shape == value.shape else value
                           for name, value in own.items()})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with latents.npz; checkpoints go here")
    parser.add_argument("--bundle", type=Path, help="start from the layers of this bundle's decoder that have the same shape")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--rate", type=float, default=3e-3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    renderer, latents, path = Renderer(args.data), Latents(args.work / "latents.npz"), args.work / "decoder.pt"
    model = initialize(Decoder(Config()))
    if args.bundle:
        start_from(model, args.bundle)
    model.to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0.0)
    spent, step = 0.0, 0
    if path.exists():
        saved = torch.load(path, map_location=args.device)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        spent, step = saved["spent"], saved["step"]
    rng = np.random.default_rng(step)

    def save(decoded):
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "config": asdict(Config()), "spent": spent,
                    "step": step}, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").rename(path)
        sheet = (decoded.detach().float().cpu() * 127.5 + 127.5).clamp(0, 255).byte().permute(2, 0, 3, 1).flatten(1, 2)
        Image.fromarray(sheet.numpy()).save(args.work / "decoded.png")

    window, tick = [], time.time()
    while spent < args.minutes * 60:
        progress = spent / (args.minutes * 60)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1, progress / 0.02 + 0.01, max(0.02, (1 - progress) / 0.5))
        drawn = draw_batch(renderer, rng, args.batch)
        tokens = latents.encode(drawn)
        blurred = latents.unpack(tokens + NOISE * torch.randn_like(tokens)).to(args.device)
        pictures = torch.from_numpy(drawn).permute(0, 3, 1, 2).float().to(args.device) / 127.5 - 1
        with torch.autocast(args.device, torch.bfloat16):
            decoded = model(blurred)
        loss = loss_of(pictures, decoded.float())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        now = time.time()
        spent, tick, step = spent + min(now - tick, 30), now, step + 1
        window.append((loss.item(), F.mse_loss(decoded.float(), pictures).item()))
        if step % 25 == 0:
            mean = np.mean(window, 0)
            print(f"{spent / 60:6.1f} min  step {step}  loss {mean[0]:.4f}  psnr {10 * np.log10(4 / mean[1]):.2f}", flush=True)
            window = []
        if step % 100 == 0:
            save(decoded)
    save(decoded)


if __name__ == "__main__":
    main()
