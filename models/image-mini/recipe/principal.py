"""The latents: principal components of 8 x 8 pixel patches of the scenes at half their size, and the statistics that scale them.

A linear projection needs no training, so the transformer can start at once, and encoding costs next to nothing. `export.py` writes it
into the layout of AutoencoderKLFlux2's encoder. What the halving takes away, the decoder puts back: it knows how edges look in this world.
Scaling every component to the same variance would make the faintest edge as important as the colour of the background; the deviation of
a component is the square root of its own instead, 1 on average.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from scenes import SIDE, Renderer
from tasks import random_pair, random_scene

PATCH, COMPONENTS = 8, 16
# Latents on a side of a picture, and tokens, which are 2 x 2 latents.
ROWS, GRID = SIDE // 2 // PATCH, SIDE // 4 // PATCH


def cut(pictures):
    """uint8 [B,256,256,3], or such pictures halved, to patches [B,16,16,192] of -1 to 1, values ordered colour, row, column."""
    values = torch.as_tensor(pictures).float() / 127.5 - 1
    if values.shape[1] == SIDE:
        values = values.unflatten(1, (-1, 2)).unflatten(3, (-1, 2)).mean((2, 4))
    return values.unflatten(1, (-1, PATCH)).unflatten(3, (-1, PATCH)).permute(0, 1, 3, 5, 2, 4).flatten(3)


class Latents:
    def __init__(self, path):
        stored = np.load(path)
        self.basis, self.mean, self.deviation = (torch.from_numpy(stored[name]) for name in ("basis", "mean", "deviation"))

    def encode(self, pictures):
        """uint8 [B,256,256,3], or halved, to tokens [B,64,4·16]; values ordered component, row, column."""
        values = (cut(pictures) @ self.basis - self.mean) / self.deviation
        return values.unflatten(2, (-1, 2)).unflatten(1, (-1, 2)).permute(0, 1, 3, 5, 2, 4).flatten(3).flatten(1, 2)

    def unpack(self, tokens):
        """tokens [B,64,64] to latents [B,16,16,16], channels first, as the decoder takes them."""
        values = tokens.unflatten(2, (-1, 2, 2)).unflatten(1, (GRID, GRID)).permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)
        return values * self.deviation[:, None, None] + self.mean[:, None, None]

    def show(self, tokens):
        """What the latents alone say: float [B,128,128,3] of -1 to 1."""
        patches = self.unpack(tokens).permute(0, 2, 3, 1) @ self.basis.T
        return patches.unflatten(3, (3, PATCH, PATCH)).permute(0, 1, 4, 2, 5, 3).flatten(3, 4).flatten(1, 2)


def read_bundle(folder):
    """The components and statistics that a bundle's autoencoder was written with."""
    tensors = load_file(folder / "vae" / "diffusion_pytorch_model.safetensors")
    eps = json.loads((folder / "vae" / "config.json").read_text())["batch_norm_eps"]
    levels = [int(name.split(".")[2]) for name in tensors if name.startswith("encoder.down_blocks.") and ".downsamplers." in name]
    weight = tensors[f"encoder.down_blocks.{max(levels)}.downsamplers.0.conv.weight"].float()
    basis = torch.zeros(3, PATCH, PATCH, COMPONENTS)
    for channel in range(48):
        colour, y, x = channel // 16, channel // 4 % 4 // 2, channel // 4 % 2
        y, x = y + 2 * (channel % 4 // 2), x + 2 * (channel % 2)
        for corner in range(4):
            basis[colour, 4 * (corner // 2) + y, 4 * (corner % 2) + x] = weight[:COMPONENTS, channel, corner // 2, corner % 2]
    mean, variance = (tensors[f"bn.running_{name}"].float()[::4] for name in ("mean", "var"))
    return basis.flatten(0, 2).numpy(), mean.numpy(), (variance + eps).sqrt().numpy()


def find_components(data):
    renderer, rng = Renderer(data, half=True), np.random.default_rng(0)
    scenes = [random_scene(rng) if i % 3 else random_pair(rng)[1] for i in range(3000)]
    patches = cut(np.stack([renderer.render(scene) for scene in scenes])).flatten(0, 2).double()
    mean = patches.mean(0)
    values, vectors = np.linalg.eigh(((patches - mean).T @ (patches - mean) / len(patches)).numpy())
    order = np.argsort(values)[::-1][:COMPONENTS]
    basis, spread = vectors[:, order], values[order] ** 0.5
    wanted = spread ** 0.5
    wanted /= np.sqrt(np.mean(wanted ** 2))
    print(f"{values[order].sum() / values.sum():.4f} of the variance in {COMPONENTS} components, deviations {wanted.round(2)}")
    return [part.astype(np.float32) for part in (basis, mean.numpy() @ basis, spread / wanted)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bundle", type=Path, help="take the components of this bundle, as a training that goes on from it must")
    args = parser.parse_args()
    basis, mean, deviation = read_bundle(args.bundle) if args.bundle else find_components(args.data)
    np.savez(args.out, basis=basis, mean=mean, deviation=deviation)


if __name__ == "__main__":
    main()
