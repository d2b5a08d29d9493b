"""How much of fresh scenes is right, drawn in full: shares of their tokens, by what those say."""
import numpy as np
import torch

from content import AT, GLYPH_CODES
from sample import GRID, SHIFT, STEPS, levels
from text_encoder import LENGTH
from transformer import rotary_table

COUNT = 48


def share(right, where):
    return round((right & where).sum().item() / max(1, where.sum().item()), 3)


def nearest(values, table):
    return torch.cdist(values, torch.from_numpy(table)).argmin(-1)


def shares(found, target, codes):
    """Of tokens [B,64,channels], as drawn and as they should be."""
    near = lambda field, most: (found - target)[..., AT[field]].abs().amax(-1) < most
    same = lambda field, table: nearest(found[..., AT[field]], table) == nearest(target[..., AT[field]], table)
    shown, letters, all_ = target[..., AT["object"].start] > 0, target[..., AT["letters"].start] > 0, near("back", torch.inf)
    looks = [values[..., AT["look"]][shown].square().sum() for values in (found - target, target)]
    return {"background": share(near("back", 0.25), all_), "object": share(same("code", np.stack(list(codes.values()))), shown),
            "part": share(near("part", 0.4), shown), "style": share(near("style", 1), shown),
            "colour": share(near("tinted", 0.75) & near("tint", 0.5), shown), "look": round(1 - (looks[0] / looks[1]).item(), 3),
            "letter": share(same("left", GLYPH_CODES), letters), "nothing": share(found[..., AT["object"].start] < 0.75, ~shown)}


@torch.no_grad()
def measure(model, batches):
    """By whether scenes were drawn or edited."""
    measured = {}
    for kind, draw in (("drawn", batches.draw_scenes), ("edited", batches.draw_edits)):
        ids, lengths, target, *references = draw(COUNT)
        texts, sigmas = model["text"](ids, lengths), levels(STEPS, SHIFT)
        rotary = [table.to(target.device) for table in rotary_table(model["image"].config, LENGTH, [GRID] * (1 + len(references)))]
        x = torch.randn(target.shape, generator=torch.Generator().manual_seed(1)).to(target.device)
        for now, then in zip(sigmas[:-1], sigmas[1:]):
            velocity = model["image"](torch.cat([x, *references], 1), texts, now.expand(len(x)).to(x.device), rotary)
            x = x + (then - now) * velocity[:, :x.shape[1]]
        measured[kind] = shares(x.cpu(), target.cpu(), batches.contents.codes)
    return measured
