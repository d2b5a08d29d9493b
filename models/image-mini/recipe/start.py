"""Writes the weights that a training starts from, start.pt: noise, but for the embeddings of objects and letters.

An object's word begins with its code, a letter's with its glyph and with where in the picture it stands, as the latents have them; behind
an object's word come four more, which have what its quarters look like. All objects are alike beyond that, and so are all letters, so what is learned of one is
learned of all. These rows stay as they are.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

import codes
import looks
import text_encoder as words
import transformer as dit
from content import CODE, GLYPH_CODES
from make_tokenizer import FIRST_LETTER, FIRST_OBJECT, FIRST_PLACE, FIRST_QUARTER, NARROW, QUARTERS
from scenes import GLYPHS, OBJECTS, SIDE, CELL

GLYPH = GLYPH_CODES.shape[1]
# Behind code and glyph: waves of the place, one number a column, narrow or not, first of two lines or not.
WAVES, COLUMNS = 6, 8
# Size of what an object's parts look like, beside the rest of its row.
SEEN = 0.5


def build(tokenizer):
    encoder = words.TextEncoder(words.Config(vocab_size=tokenizer.get_vocab_size()))
    width = len(words.TAPS) * encoder.config.hidden_size
    return nn.ModuleDict({"text": encoder, "image": dit.Flux2Transformer(dit.Config(joint_attention_dim=width))})


def place_of(mark):
    """Numbers that say where a letter stands, by the character behind it."""
    number = ord(mark) - FIRST_PLACE
    first, number = number >= 100, number % 100
    narrow = number >= NARROW
    width = CELL // 2 if narrow else CELL
    left = (number - NARROW if narrow else number) * width
    centre = torch.tensor((left + width / 2) / SIDE)
    waves = [f(2 * torch.pi * n * centre) for n in range(1, WAVES // 2 + 1) for f in (torch.sin, torch.cos)]
    columns = torch.zeros(COLUMNS)
    columns[left // CELL] = 2.0
    flags = torch.tensor([2.0 * narrow, (left % CELL > 0) * 2.0, 2.0 * first])
    return torch.cat([torch.stack(waves), columns, flags])


def given(tokenizer):
    """Ids whose rows are given."""
    return [at for token, at in tokenizer.get_vocab().items() if FIRST_LETTER <= ord(token[0]) < FIRST_PLACE or ord(token[0]) >= FIRST_OBJECT]


def write_embeddings(embedding, tokenizer, named, seen):
    """named: codes of objects by their names, seen [objects,4,128]: what their quarters look like."""
    embedding[:, -looks.CODE:] = 0
    shared = {kind: 0.5 * torch.randn(embedding.shape[1] - looks.CODE) for kind in ("object", "letter", "quarter")}
    names, known = list(OBJECTS), CODE + GLYPH + WAVES + COLUMNS + 3
    for token, at in tokenizer.get_vocab().items():
        first = ord(token[0])
        embedding[at, :known] *= 0.3
        if first >= FIRST_QUARTER:
            number, quarter = divmod(first - FIRST_QUARTER, QUARTERS)
            embedding[at, :-looks.CODE] = shared["quarter"]
            embedding[at, :known] = 0
            embedding[at, :CODE] = torch.from_numpy(named[names[number]])
            embedding[at, CODE + GLYPH + WAVES + quarter] = 2.0
            embedding[at, -looks.CODE:] = SEEN * torch.from_numpy(seen[number, quarter])
        elif first >= FIRST_OBJECT:
            embedding[at, :-looks.CODE] = shared["object"]
            embedding[at, :known] = 0
            embedding[at, :CODE] = torch.from_numpy(named[names[first - FIRST_OBJECT]])
        elif FIRST_LETTER <= first < FIRST_PLACE:
            embedding[at, :-looks.CODE] = shared["letter"]
            embedding[at, :known] = 0
            embedding[at, CODE:CODE + GLYPH] = torch.from_numpy(GLYPH_CODES[first - FIRST_LETTER])
            embedding[at, CODE + GLYPH:known] = place_of(token[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with codes.npy, looks.npz and tokenizer.json")
    args = parser.parse_args()
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(str(args.work / "tokenizer.json"))
    model = build(tokenizer)
    with torch.no_grad():
        write_embeddings(model["text"].embed_tokens.weight, tokenizer, codes.load(args.work / "codes.npy"), np.load(args.work / "looks.npz")["codes"])
    torch.save(model.state_dict(), args.work / "start.pt")
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters, {tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
