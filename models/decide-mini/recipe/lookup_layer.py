"""A layer put before all others in which a token looks at the most similar tokens before it, so that two pieces of a state, or a question and the
state, can be compared word by word. Training from labels alone does not find this: before it, pairs of texts were told apart hardly better than by chance.

    heads 0, 1   similar: the word vectors' first principal components
    heads 2, 3   the same: components at random, in which only the same token is near
    both         the fastest rotary pairs lower the score at a distance of nought, or every token would find itself;
                 the state's opening token is looked at where nothing is similar

The layer writes four flags into dimensions that the model hardly uses, one a head: whether something was found. They are large beside other values, or
training would take hundreds of steps to notice them.
"""
import math

import torch

# Rotary pairs j and j + 32 of a head: the slow half holds content whatever the distance, the eight fastest tell a token from its neighbours.
SLOW, FAST, IDLE = 16, 8, 31
# Shares of a query's length. Of the two heads on one set of keys the second finds what is less similar too.
CONTENT, ITSELF, NOTHING = 0.4, 0.5, (0.1, 0.03)
FOUND, HEIGHT = -5, 3


def components(vectors, weight, count):
    """First principal components [count, width] of weighted vectors, all at right angles to their mean, and the mean."""
    mean = weight @ vectors
    centred = vectors - mean
    direction = mean / mean.norm()
    centred = centred - (centred @ direction).unsqueeze(1) * direction
    _, axes = torch.linalg.eigh((centred * weight.unsqueeze(1)).T @ centred)
    return axes.T.flip(0)[:count], mean


@torch.no_grad()
def lookup_layer(config, embeddings, counts, opening):
    """Weights of the layer by name. embeddings [vocabulary, hidden]; counts [vocabulary]; `opening` is the id of the state's opening token."""
    torch.manual_seed(0)
    size, hidden, half = config.head_dim, config.hidden_size, config.head_dim // 2
    frequent = torch.as_tensor(counts, dtype=torch.float32).clamp(max=1e-5 * float(counts.sum()))
    unit = embeddings * hidden**0.5 / embeddings.norm(dim=1, keepdim=True).clamp(min=1e-6)
    axes, mean = components(unit, frequent / frequent.sum(), hidden // 2)
    slow = [*range(SLOW, IDLE), *range(half + SLOW, half + IDLE)]
    scale = lambda rows: rows / (unit @ rows.T).norm(dim=1).mean()
    random_ = torch.linalg.qr(torch.randn(axes.shape[0], len(slow)))[0].T @ (axes / (unit @ axes.T).std(0).unsqueeze(1))
    # tells the opening token from all others
    word, start = mean / mean.norm() ** 2, unit[opening] - (unit[opening] @ mean) / mean.norm() ** 2 * mean
    start = start / start.norm() ** 2
    q, k, v = (torch.zeros(heads * size, hidden) for heads in (config.num_attention_heads, config.num_key_value_heads, config.num_key_value_heads))
    per_group = config.num_attention_heads // config.num_key_value_heads
    for group, rows in enumerate((axes[: len(slow)], random_)):
        rows = scale(rows)
        keys = k[group * size : (group + 1) * size]
        keys[slow] = math.sqrt(1 - ITSELF) * rows
        keys[:FAST] = -math.sqrt(ITSELF / FAST) * word
        # the slowest dimension, on which only the opening token stands
        keys[IDLE] = 3 * start
        for number, nothing in enumerate(NOTHING):
            head = group * per_group + number
            queries = q[head * size : (head + 1) * size]
            queries[slow] = math.sqrt(CONTENT) * rows
            queries[:FAST] = math.sqrt(ITSELF / FAST) * word
            queries[IDLE] = math.sqrt(nothing) * word
        v[group * size : (group + 1) * size] = torch.randn(size, hidden) * hidden**-0.5
        v[group * size] = word - start
    out = torch.zeros(hidden, config.num_attention_heads * size)
    for head in range(config.num_attention_heads):
        out[FOUND + head, head * size] = HEIGHT
    draw = lambda rows, columns: torch.randn(rows, columns) * columns**-0.5
    return {
        "input_layernorm.weight": torch.ones(hidden), "post_attention_layernorm.weight": torch.ones(hidden),
        "self_attn.q_proj.weight": q, "self_attn.k_proj.weight": k, "self_attn.v_proj.weight": v,
        "self_attn.o_proj.weight": out,
        "self_attn.q_norm.weight": torch.full((size,), 2.0), "self_attn.k_norm.weight": torch.full((size,), 2.0),
        "mlp.gate_proj.weight": draw(config.intermediate_size, hidden), "mlp.up_proj.weight": draw(config.intermediate_size, hidden),
        "mlp.down_proj.weight": torch.zeros(hidden, config.intermediate_size),
    }


def with_lookup(weights, layer, size):
    """Weights of a model with `layer` before the others. The heads by which `matching_start.py` lets the decide token average word vectors over the
    state, `size` dimensions each, average the flags in place of the last of theirs."""
    grown = {f"model.layers.0.{name}": tensor for name, tensor in layer.items()}
    for name, tensor in weights.items():
        part = name.split(".")
        if part[1] == "layers":
            part[2] = str(int(part[2]) + 1)
        grown[".".join(part)] = tensor.clone()
    values = grown["model.layers.2.self_attn.v_proj.weight"]
    for group in (0, 1):
        row = (group + 1) * size - 1
        values[row] = 0
        values[row, FOUND + 2 * group : FOUND + 2 * group + 2] = 0.5
    return grown
