"""What objects look like, in numbers: the parts that the latents have, and a code a quarter of an object that the text encoder knows.

A part is what a token of 32 x 32 pixels shows of an object, without what lies behind. Principal components of all parts of all objects, at all
sizes, in both styles, turned both ways, make it short. An object that has a colour of its own is shown in KEY, which the decoder
replaces: so it looks the same in every colour.
"""
import argparse
from pathlib import Path

import numpy as np

from scenes import CELL, COLOURABLE, OBJECTS, SIZES, STYLES, Renderer

LOOK, CODE = 24, 128
KEY = np.asarray((255, 0, 255), np.float32)
HALF = CELL // 2
# Times that every part of a size counts, as pictures of many small objects have as many parts.
WORTH = {"big": 1, "small": 2, "tiny": 4}


def parts_of(colours, through):
    """Colours times opacity in levels [S,S,3] and what shows through [S,S,1], at half the size, to parts [n,n,values]."""
    opacity = 1 - through
    values = np.concatenate([colours / 255 - 0.5 * opacity, 0.5 * opacity], -1)
    count = len(values) // HALF
    return values.reshape(count, HALF, count, HALF, 4).transpose(0, 2, 1, 3, 4).reshape(count, count, -1)


def turned(parts):
    """The parts as the mirrored object has them."""
    count = len(parts)
    return parts.reshape(count, count, HALF, HALF, 4)[:, ::-1, :, ::-1].reshape(count, count, -1)


def grayed(parts):
    """The parts without colour."""
    values = parts.reshape(*parts.shape[:-1], -1, 4)
    levels = values[..., :3] @ np.asarray((0.299, 0.587, 0.114), np.float32)
    return np.concatenate([np.repeat(levels[..., None], 3, -1), values[..., 3:]], -1).reshape(parts.shape)


def quarters(parts):
    """Parts [n,n,values] of each quarter, upper left, upper right, lower left, lower right: [4,values]."""
    count = len(parts) // 2
    return parts.reshape(2, count, 2, count, -1).transpose(0, 2, 1, 3, 4).reshape(4, -1)


class Looks:
    """Parts of every object in latents. They are kept once made."""

    def __init__(self, data, basis, scale, codes):
        """basis [values,LOOK], scale [LOOK] of a component, codes [objects,4,CODE]."""
        self.renderer, self.basis, self.scale = Renderer(data, half=True), basis, scale
        self.codes, self.made = dict(zip(OBJECTS, codes)), {}

    @staticmethod
    def load(data, path):
        saved = np.load(path)
        return Looks(data, saved["basis"], saved["scale"], saved["codes"])

    def raw(self, name, style, size, colour=None):
        """Parts of an object as it usually is, or in a colour given in levels."""
        colours, through, *own = self.renderer.layers(name, style, size)
        if colour is not None:
            rest, shade = own
            colours = 255 * rest + shade * colour
        return parts_of(colours, through)

    def of(self, name, style, size, key=False, mirrored=False, gray=None):
        """Latents [n,n,LOOK] of an object's parts; gray is the colour in which it was before, or () for its usual one."""
        at = name, style, size, key, mirrored, gray if gray is None else tuple(gray)
        if at not in self.made:
            parts = self.raw(name, style, size, np.asarray(gray, np.float32) if gray else KEY if key else None)
            parts = grayed(parts) if gray is not None else parts
            self.made[at] = (turned(parts) if mirrored else parts) @ self.basis / self.scale
        return self.made[at]


def variants():
    return [(style, key) for style in STYLES for key in (False, True)]


def principal(renderer):
    """(basis, scale): directions of all parts and the size that each is divided by."""
    looks, square = Looks.__new__(Looks), 0
    looks.renderer = renderer
    for name in OBJECTS:
        for style, key in variants():
            if key and name not in COLOURABLE:
                continue
            for size, worth in WORTH.items():
                parts = looks.raw(name, style, size, KEY if key else None)
                for rows in (parts, turned(parts)):
                    rows = rows.reshape(-1, rows.shape[-1]).astype(np.float64)
                    square = square + worth * rows.T @ rows
    values, vectors = np.linalg.eigh(square)
    values, vectors = values[::-1][:LOOK], vectors[:, ::-1][:, :LOOK]
    count = sum(worth * (SIZES[size][0] // CELL) ** 2 for size, worth in WORTH.items()) * 2 * (2 * len(OBJECTS) + 2 * len(COLOURABLE))
    deviation = np.sqrt(values / count)
    scale = deviation ** 0.7
    return vectors.astype(np.float32), (scale / np.sqrt(np.mean((deviation / scale) ** 2)) ** -1).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    basis, scale = principal(Renderer(args.data, half=True))
    looks, rows = Looks(args.data, basis, scale, np.zeros((len(OBJECTS), 4, CODE), np.float32)), []
    for name in OBJECTS:
        # In levels, as small components matter less.
        rows.append(np.concatenate([worth ** 0.5 * quarters(looks.of(name, style, size, key and name in COLOURABLE) * scale)
                                    for style, key in variants() for size, worth in WORTH.items()], 1))
    rows = np.concatenate(rows)
    rows -= rows.mean(0)
    left, spread, _ = np.linalg.svd(rows, full_matrices=False)
    codes = (left * spread ** 0.5)[:, :CODE]
    codes = (codes / codes.std()).reshape(len(OBJECTS), 4, CODE)
    np.savez(args.out, basis=basis, scale=scale, codes=codes.astype(np.float32))
    print(f"codes of quarters keep {(spread[:CODE] ** 2).sum() / (spread ** 2).sum():.3f} of what parts of objects are; parts have a deviation of {rows.std():.2f}, scale {scale[0]:.2f} to {scale[-1]:.2f}")


if __name__ == "__main__":
    main()
