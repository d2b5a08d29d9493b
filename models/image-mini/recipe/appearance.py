"""What every object looks like, in a few numbers: the first dimensions of its word's embedding before any training.

Learnt from noise, every word's picture would have to be learned by itself. Numbers that say what it looks like mean the same for all
objects, so that one map from them to pictures serves all: an object that was drawn ten times already has its shape and colours.
"""
import numpy as np
import torch

from extend_tokenizer import id_of
from nouns import plural
from principal import ROWS
from scenes import OBJECTS, STYLES, Item, Renderer, Scene

CODE, LENGTH = 64, 3.0


def appearances(data, latents):
    """[objects, CODE]: principal components of the latents of small objects in both styles, of LENGTH on average."""
    renderer, rows = Renderer(data, half=True), []
    for name in OBJECTS:
        pictures = np.stack([renderer.render(Scene("gray", (Item(name, "middle", style),))) for style in STYLES])
        scaled = (latents.unpack(latents.encode(pictures)) - latents.mean[:, None, None]) / latents.deviation[:, None, None]
        rows.append(scaled[:, :, ROWS // 4:-ROWS // 4, ROWS // 4:-ROWS // 4].flatten())
    rows = torch.stack(rows)
    left, spread, _ = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)
    codes = torch.zeros(len(rows), CODE)
    kept = min(CODE, len(spread))
    codes[:, :kept] = (left * spread.sqrt())[:, :kept]
    return codes * LENGTH / codes.norm(dim=1).mean()


def forms_of(tokenizer, name):
    """Ids of a name: after a space, at the start of a prompt, and of several."""
    return [id_of(tokenizer, name), id_of(tokenizer, name, False), id_of(tokenizer, plural(name)), id_of(tokenizer, plural(name), False)]


def write_appearances(embedding, tokenizer, codes):
    with torch.no_grad():
        for name, code in zip(OBJECTS, codes):
            embedding[forms_of(tokenizer, name), :CODE] = code
