"""Draws with a trained model in Python, as src/images does."""
import torch

from content import GRID
from text_encoder import LENGTH
from transformer import rotary_table

GRID = (GRID, GRID)
# What the bundle is drawn with; as the conditions are copied, guidance adds nothing.
STEPS, SHIFT = 4, 3.0


def levels(steps, shift):
    base = torch.linspace(1, 1 / steps, steps)
    return torch.cat([shift * base / (1 + (shift - 1) * base), torch.zeros(1)])


@torch.no_grad()
def sample(model, batches, captions, references=None, steps=STEPS, shift=SHIFT, guidance=1.0, seed=0, noise=None):
    """Tokens [B,64,C]; references are tokens of the same shape."""
    device, count = batches.device, len(captions)
    rotary = tuple(table.to(device) for table in rotary_table(model["image"].config, LENGTH, [GRID] * (1 if references is None else 2)))
    channels = model["image"].config.in_channels
    if noise is None:
        noise = torch.randn(count, channels, *GRID, generator=torch.Generator().manual_seed(seed))
    x = noise.flatten(2).transpose(1, 2).to(device)
    said = [captions] if guidance <= 1 else [captions, [""] * count]
    with torch.autocast(device, torch.bfloat16):
        texts = [model["text"](*batches.tokenize(words)) for words in said]
        sigmas = levels(steps, shift)
        for now, then in zip(sigmas[:-1], sigmas[1:]):
            tokens = x if references is None else torch.cat([x, references], 1)
            velocity = [model["image"](tokens, text, now.expand(count).to(device), rotary)[:, :x.shape[1]].float() for text in texts]
            towards = velocity[0] if guidance <= 1 else velocity[1] + guidance * (velocity[0] - velocity[1])
            x = x + (then - now) * towards
    return x
