"""A deeper model out of a trained one: behind every layer a new one that hardly changes what passes through it.

A new layer starts with the weights of the layer before it and SHARE of what that adds to its input, so it can be trained on from there
(stacking: Gong et al., Efficient training of BERT by progressively stacking, 2019). The scale and shift of its norms are fitted to what comes in, so that they give it back.
"""
from dataclasses import replace

import torch

from model import TreeDecider
from products import half

SHARE = 0.1


@torch.no_grad()
def grown(model, inputs, share=SHARE):
    """A model of twice the layers; `inputs` are those of a batch, on which the norms of new layers are fitted."""
    deeper = TreeDecider(replace(model.config, num_hidden_layers=2 * len(model.layers))).to(model.levels.device)
    old = model.state_dict()
    deeper.load_state_dict({**deeper.state_dict(), **{name: weight for name, weight in old.items() if not name.startswith("layers.")}})
    x, mask = half(model.embed(*inputs[:4]), inputs[4])
    for number, layer in enumerate(model.layers):
        for copied in deeper.layers[2 * number : 2 * number + 2]:
            copied.load_state_dict(layer.state_dict())
        x, new = layer.forward(x, mask), deeper.layers[2 * number + 1]
        for part in (new.attended, new.down):
            part.weight.mul_(share)
            part.bias.mul_(share)
        for norm in (new.attended_norm, new.norm):
            fit(norm, x)
    return deeper


def fit(norm, x):
    """Sets scale and shift of a norm so that it gives its input [..., width] back, as near as it can."""
    x = x.flatten(0, -2).float()
    plain = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=norm.eps)
    slope = ((plain - plain.mean(0)) * (x - x.mean(0))).mean(0) / plain.var(0, correction=0)
    norm.weight.copy_(slope)
    norm.bias.copy_(x.mean(0) - slope * plain.mean(0))
