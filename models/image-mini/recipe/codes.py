"""A few numbers for every object that say what it looks like: principal components of how it looks in both styles."""
import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from content import CODE
from scenes import OBJECTS, STYLES

SEEN = 32


def appearance(data, name):
    """[values]: the object in both styles over gray, and its opacity."""
    found = []
    for style in STYLES:
        picture = Image.open(Path(data) / style / f"{OBJECTS[name]}.webp").convert("RGBA").resize((SEEN, SEEN), Image.BOX)
        values = np.asarray(picture, np.float32) / 255
        found += [((values[..., :3] - 0.5) * values[..., 3:]).ravel(), 0.5 * values[..., 3].ravel()]
    return np.concatenate(found)


def codes_of(data):
    """[objects, CODE], each component of variance falling with that of what it stands for, 1 on average."""
    rows = np.stack([appearance(data, name) for name in OBJECTS])
    left, spread, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    codes = (left * spread ** 0.4)[:, :CODE]
    return (codes / codes.std()).astype(np.float32), (spread[:CODE] ** 2).sum() / (spread ** 2).sum()


def load(path):
    return dict(zip(OBJECTS, np.load(path)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    codes, kept = codes_of(args.data)
    np.save(args.out, codes)
    distances = np.linalg.norm(codes[:, None] - codes[None], axis=2) + 99 * np.eye(len(codes))
    names = list(OBJECTS)
    print(f"{kept:.3f} of the variance; norm {np.linalg.norm(codes, axis=1).mean():.2f}; nearest pairs:")
    for at in np.argsort(distances.min(1))[:12]:
        print(f"  {distances[at].min():.2f} {names[at]} {names[distances[at].argmin()]}")


if __name__ == "__main__":
    main()
