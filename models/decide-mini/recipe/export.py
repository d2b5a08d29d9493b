"""Writes a checkpoint as a bundle in the layout `tree-1` (LAYOUT.md), float32. The library's `tessera quantize` makes it smaller."""
import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from model import TreeDecider
from pack import OVERLAP, WINDOW
from tree import open_tokenizer


def mean_weights(saved):
    """The model of a checkpoint with the running mean of its trained weights; frozen ones are as they were."""
    model = TreeDecider(saved["config"])
    model.load_state_dict(saved["model"])
    named = dict(model.named_parameters())
    with torch.no_grad():
        for name, weight in saved["mean"].items():
            named[name].copy_(weight)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True, help="the base's tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    saved = torch.load(args.checkpoint, weights_only=False)
    model = mean_weights(saved)
    args.out.mkdir(parents=True, exist_ok=True)
    save_file({outer: weight.detach().float().contiguous() for _, outer, weight in model.named()}, args.out / "model.safetensors", metadata={"format": "pt"})
    (args.out / "config.json").write_text(json.dumps(model.config.written(), indent=2) + "\n")
    written = json.loads(open_tokenizer(args.tokenizer).to_str())
    (args.out / "tokenizer.json").write_text(json.dumps({**written, "post_processor": None}, ensure_ascii=False, separators=(",", ":")))
    manifest = {"name": "decide-mini", "version": "1.7.0", "template": "tree-1", "readout": "scorer", "window": {"tokens": WINDOW, "overlap": OVERLAP, "sharpness": 4}}
    (args.out / "tessera.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"step {saved['step']}, {saved['spent'] / 60:.0f} minutes, {saved['seen'] / 1e6:.1f}M tokens")


if __name__ == "__main__":
    main()
