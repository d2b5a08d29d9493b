"""The latents: principal components of 8 x 8 pixel patches of the scenes, and the statistics that scale them.

A linear projection needs no training, so the transformer can start at once, and encoding costs next to nothing. `export.py` writes it
into the layout of AutoencoderKLFlux2's encoder. Scaling every component to the same variance would make the faintest edge as
important as the colour of the background; the deviation of a component is the square root of its own instead, 1 on average.
"""
import argparse
from pathlib import Path

import numpy as np
import torch

from scenes import SIDE, Renderer
from tasks import random_pair, random_scene

PATCH, COMPONENTS = 8, 16


def cut(pictures):
    """uint8 [B,128,128,3] to patches [B,16,16,192] of -1 to 1, values ordered colour, row, column."""
    values = torch.as_tensor(pictures).float() / 127.5 - 1
    return values.unflatten(1, (-1, PATCH)).unflatten(3, (-1, PATCH)).permute(0, 1, 3, 5, 2, 4).flatten(3)


class Latents:
    def __init__(self, path):
        stored = np.load(path)
        self.basis, self.mean, self.deviation = (torch.from_numpy(stored[name]) for name in ("basis", "mean", "deviation"))

    def encode(self, pictures):
        """uint8 [B,128,128,3] to tokens [B,64,4·16]; values ordered component, row, column."""
        values = (cut(pictures) @ self.basis - self.mean) / self.deviation
        return values.unflatten(2, (-1, 2)).unflatten(1, (-1, 2)).permute(0, 1, 3, 5, 2, 4).flatten(3).flatten(1, 2)

    def unpack(self, tokens):
        """tokens [B,64,64] to latents [B,16,16,16], channels first, as the decoder takes them."""
        side = SIDE // PATCH // 2
        values = tokens.unflatten(2, (-1, 2, 2)).unflatten(1, (side, side)).permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)
        return values * self.deviation[:, None, None] + self.mean[:, None, None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    renderer, rng = Renderer(args.data), np.random.default_rng(0)
    scenes = [random_scene(rng) if i % 3 else random_pair(rng)[1] for i in range(3000)]
    patches = cut(np.stack([renderer.render(scene) for scene in scenes])).flatten(0, 2).double()
    mean = patches.mean(0)
    values, vectors = np.linalg.eigh(((patches - mean).T @ (patches - mean) / len(patches)).numpy())
    order = np.argsort(values)[::-1][:COMPONENTS]
    basis, spread = vectors[:, order], values[order] ** 0.5
    wanted = spread ** 0.5
    wanted /= np.sqrt(np.mean(wanted ** 2))
    np.savez(args.out, basis=basis.astype(np.float32), mean=(mean.numpy() @ basis).astype(np.float32),
             deviation=(spread / wanted).astype(np.float32))
    print(f"{values[order].sum() / values.sum():.4f} of the variance in {COMPONENTS} components, deviations {wanted.round(2)}")


if __name__ == "__main__":
    main()
