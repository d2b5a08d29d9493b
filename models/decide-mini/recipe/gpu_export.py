"""Writes the pieces that `gpu_train.py` leaves as a bundle in float32; word embeddings and all that is no weight are those of the bundle it began with."""
import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file

from model import Config, TreeDecider, fresh


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--pieces", type=Path, required=True, help="folder of the pieces")
    parser.add_argument("--name", default="end", help="end, or shallow: what there was before it was made deeper")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    config = Config.read(args.start)
    start = fresh(config, args.start)
    trained = {key: weight.float() for piece in sorted(args.pieces.glob(f"{args.name}-*.pt")) for key, weight in torch.load(piece).items()}
    layers = 1 + max(int(key.split(".")[1]) for key in trained if key.startswith("layers."))
    model = TreeDecider(replace(config, num_hidden_layers=layers))
    model.load_state_dict({"words.weight": start.words.weight, **trained})
    args.out.mkdir(parents=True, exist_ok=True)
    save_file({outer: weight.detach().contiguous() for _, outer, weight in model.named()}, args.out / "model.safetensors", metadata={"format": "pt"})
    (args.out / "config.json").write_text(json.dumps(model.config.written(), indent=2) + "\n")
    shutil.copy(args.start / "tokenizer.json", args.out / "tokenizer.json")
    manifest = {**json.loads((args.start / "tessera.json").read_text()), "version": args.version}
    manifest.pop("calibration", None)
    (args.out / "tessera.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{args.out}: {layers} layers")


if __name__ == "__main__":
    main()
