"""The weights that training begins with."""
from dataclasses import replace

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from lookup_layer import lookup_layer, with_lookup
from matching_start import start_matching
from model import DecideMini

STRUCTURE = ("pad", "state", "noul", "choice", "score", "option", "/option", "decide")


def from_bundle(folder):
    """The weights of an exported bundle, as near to those that were trained as its 8-bit blocks are."""
    tensors = load_file(folder / "model.safetensors")
    weights = {}
    for name, tensor in tensors.items():
        if (scales := tensors.get(f"{name}.scales")) is not None:
            tensor = ((tensor.float() - 128) * scales.unsqueeze(-1)).reshape(tensor.shape[0], -1)
        if not name.endswith(".scales"):
            weights[name] = tensor
    return weights


def count_tokens(work, config):
    """How often each token occurs in the rows for training [vocabulary], at least 1."""
    return 1 + np.bincount(np.load(work / "train" / "tokens.npy"), minlength=config.vocab_size)


def layer_number(name):
    return int(name.split(".")[2]) if name.startswith("model.layers.") else None


def deepen(weights, layers):
    """The weights with as many layers as said: the ones between the first and the last are followed by copies, from the back where not all are.
    A copy's output projections are zero, so at first the model answers as before."""
    had = 1 + max(number for name in weights if (number := layer_number(name)) is not None)
    inner = list(range(1, had - 1))
    if not had <= layers <= had + len(inner):
        raise ValueError(f"expected {had} to {had + len(inner)} layers for weights that have {had}, got {layers}")
    copied = set(inner[len(inner) - (layers - had):])
    order = [place for number in range(had) for place in [(number, False)] + [(number, True)] * (number in copied)]
    deeper = {name: weight for name, weight in weights.items() if layer_number(name) is None}
    for place, (number, copy) in enumerate(order):
        for name, weight in weights.items():
            if layer_number(name) == number:
                new = torch.zeros_like(weight) if copy and name.endswith(("o_proj.weight", "down_proj.weight")) else weight
                deeper[name.replace(f".{number}.", f".{place}.", 1)] = new
    return deeper


def first_weights(config, work, counts, bundle=None):
    """Weights that match words behind a lookup layer, or those of `bundle`, deepened where it has fewer layers than `config` says.
    Returns them and whether the lookup layer is new."""
    if bundle:
        return deepen(from_bundle(bundle), config.num_hidden_layers), False
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    structure = {name: tokenizer.token_to_id(f"<{name}>") for name in STRUCTURE}
    model = DecideMini(replace(config, num_hidden_layers=config.num_hidden_layers - 1))
    start_matching(model, np.load(work / "embeddings.npy"), counts, structure)
    weights = model.state_dict()
    layer = lookup_layer(config, weights["model.embed_tokens.weight"], counts, structure["state"])
    return with_lookup(weights, layer, config.head_dim), True
