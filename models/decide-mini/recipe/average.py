"""Writes the mean of the weights of several bundles that `export.py` made: of a run that went on from a bundle, and of where it began.

Such runs end near each other, so that their mean may be better than either (Wortsman et al., Model soups, 2022). Measure it: here it was once, by a
little, and once not.
"""
import argparse
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", type=Path, nargs="+", help="float32 bundles of one shape; what else is in a bundle is that of the first")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    models = [load_file(bundle / "model.safetensors") for bundle in args.bundles]
    mean = {name: torch.stack([model[name] for model in models]).mean(0) for name in models[0]}
    shutil.copytree(args.bundles[0], args.out, dirs_exist_ok=True)
    save_file(mean, args.out / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
