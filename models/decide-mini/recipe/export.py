"""Writes a trained checkpoint as the bundle the library reads: config.json, tokenizer.json, tessera.json and int8 weights.

Weights are rounded to signed 8-bit blocks along the input dimension, stored as unsigned bytes with zero point 128 (the layout
of ONNX Runtime's MatMulNBits). Norm gains stay float32.
"""
import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from first_weights import count_tokens, first_weights
from model import Config

BLOCK = 64


def quantize(weight):
    rows, columns = weight.shape
    blocks = weight.float().reshape(rows, columns // BLOCK, BLOCK)
    scales = blocks.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 127
    quantized = (blocks / scales).round().clamp(-127, 127) + 128
    return quantized.to(torch.uint8), scales.squeeze(-1).contiguous()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with checkpoint.pt, tokenizer.json and train/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--average", type=Path, help="exported bundle that training started from, or a copy of an earlier checkpoint (.pt): a mean of "
                        "its weights and the last checkpoint's is written, which keeps what both know (Wortsman et al. 2022, arXiv:2109.01903)")
    parser.add_argument("--share", type=float, default=0.5, help="the checkpoint's share of that mean")
    args = parser.parse_args()
    saved = torch.load(args.work / "checkpoint.pt", map_location="cpu")
    start = saved["model"]
    if args.average and args.average.suffix == ".pt":
        start = torch.load(args.average, map_location="cpu")["model"]
    elif args.average:
        config = Config(**saved["config"])
        start, _ = first_weights(config, args.work, count_tokens(args.work, config), args.average)
    tensors = {}
    for name, weight in saved["model"].items():
        weight = args.share * weight + (1 - args.share) * start[name]
        if weight.ndim == 1:
            tensors[name] = weight.float().contiguous()
        else:
            tensors[name], tensors[f"{name}.scales"] = quantize(weight)
    args.out.mkdir(parents=True, exist_ok=True)
    save_file(tensors, args.out / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_act": "silu", "attention_bias": False,
        "tie_word_embeddings": True, "torch_dtype": "float32", **saved["config"],
        "quantization_config": {"quant_method": "tessera", "bits": 8, "block_size": BLOCK},
    }
    (args.out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    tokenizer = json.loads((args.work / "tokenizer.json").read_text())
    (args.out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")))
    manifest = args.out / "tessera.json"
    if not manifest.exists():
        manifest.write_text(json.dumps({
            "name": "decide-mini", "version": "0.12.0", "template": "branch-1", "readout": "pointer",
            "window": {"tokens": 640, "overlap": 64, "sharpness": 4},
        }, indent=2) + "\n")
    size = sum(file.stat().st_size for file in args.out.iterdir() if file.is_file())
    print(f"step {saved['step']}, {saved['spent'] / 60:.0f} minutes: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
