"""Writes the released bundle's weights as floats, start.pt, encoder.pt and decoder.pt, to train on from.

Blocks of the autoencoder that the bundle doesn't have add nothing at first.
"""
import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from autoencoder import Config, Decoder, Encoder, initialize
from content import CHANNELS
from start import build

MIDDLE = 128


def floats(path):
    """Tensors by their names; matrices are integers of 8 bits in blocks with a scale each."""
    found = load_file(path)
    return {name: ((weight.float() - MIDDLE) * found[f"{name}.scales"].unsqueeze(-1)).flatten(1) if f"{name}.scales" in found else weight.float()
            for name, weight in found.items() if not name.endswith(".scales")}


def with_words(rows, known, wanted):
    """Rows [words,width] of the embedding in the order of another tokenizer; words that are new in it begin as the unknown one."""
    unknown = rows[known["<unknown>"]]
    ordered = sorted(wanted, key=wanted.get)
    print("new words:", ", ".join(word for word in ordered if word not in known) or "none")
    return torch.stack([rows[known[word]] if word in known else unknown for word in ordered])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", type=Path, required=True, help="the folder of a released image-mini")
    parser.add_argument("--work", type=Path, required=True, help="folder with tokenizer.json, which may have other words than the bundle's")
    args = parser.parse_args()
    known, tokenizer = (Tokenizer.from_file(str(folder / "tokenizer.json")) for folder in (args.bundle / "tokenizer", args.work))
    text = {name.removeprefix("model."): tensor for name, tensor in floats(args.bundle / "text_encoder" / "model.safetensors").items()}
    text["embed_tokens.weight"] = with_words(text["embed_tokens.weight"], known.get_vocab(), tokenizer.get_vocab())
    model = build(tokenizer)
    model["text"].load_state_dict(text)
    image = floats(args.bundle / "transformer" / "model.safetensors")
    # Rows are filled up to whole blocks.
    image["x_embedder.weight"] = image["x_embedder.weight"][:, :CHANNELS]
    model["image"].load_state_dict(image)
    torch.save(model.state_dict(), args.work / "start.pt")
    parts = floats(args.bundle / "vae" / "model.safetensors")
    for kind, part in (("encoder", Encoder), ("decoder", Decoder)):
        fresh = initialize(part(Config())).state_dict()
        known = {name.removeprefix(f"{kind}."): tensor for name, tensor in parts.items() if name.startswith(f"{kind}.")}
        torch.save({"model": fresh | known, "step": 0}, args.work / f"{kind}.pt")


if __name__ == "__main__":
    main()
