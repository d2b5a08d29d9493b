"""The weights that training begins with."""
from dataclasses import replace

import numpy as np
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


def first_weights(config, work, counts, bundle=None):
    """Weights that match words, or those of `bundle`; with a lookup layer before them where they have a layer less than `config` says.
    Returns them and whether that layer is new."""
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    structure = {name: tokenizer.token_to_id(f"<{name}>") for name in STRUCTURE}
    if bundle:
        weights = from_bundle(bundle)
    else:
        model = DecideMini(replace(config, num_hidden_layers=config.num_hidden_layers - 1))
        start_matching(model, np.load(work / "embeddings.npy"), counts, structure)
        weights = model.state_dict()
    if f"model.layers.{config.num_hidden_layers - 1}.input_layernorm.weight" in weights:
        return weights, False
    layer = lookup_layer(config, weights["model.embed_tokens.weight"], counts, structure["state"])
    return with_lookup(weights, layer, config.head_dim), True
