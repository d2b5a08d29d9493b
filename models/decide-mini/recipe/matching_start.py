"""Weights that match before any training: every option's end holds the mean word vector of its option, the decide token that of the
state, and the pointer compares them. Trained from noise on few tokens the model does not find this; started here it only refines it.

The residual stream's first dimensions hold the word vector, its last ones what the circuit needs:

    layer 0   heads 0, 1 write whether a question's or an option's marker stands before the token
    layer 1   heads 0, 2 average word vectors, rare words more: an option's end over its option, the decide token over the state,
              all other tokens look at the state's opening token, which holds no word
    rest      writes nothing yet, as is usual
"""
import numpy as np
import torch

CONSTANT, RARITY, MARKER, OPTION, END, DECIDE, STATE, IN_BRANCH, IN_OPTION = range(-16, -7)
WORD, MATCHED = 240, 128
# Lowest frequencies of the rotary embedding, which leave content where it is whatever the distance.
A, B, C, D, E, IDLE = 31, 30, 29, 28, 27, 26


def word_vectors(vectors, counts):
    """Rows of `vectors` centred, of one length and turned so that the first dimensions tell the most, and how rare each token is (0 to 1)."""
    weight = np.minimum(counts / counts.sum(), 1e-3)
    weight /= weight.sum()
    unit = lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    rows = unit(vectors)
    rows = unit(rows - weight @ rows)
    _, axes = np.linalg.eigh((rows * weight[:, None]).T @ rows)
    information = np.log(counts.sum() / counts)
    return (rows @ axes[:, ::-1])[:, :WORD], np.clip((information - 3) / 9, 0, 1)


@torch.no_grad()
def start_matching(model, vectors, counts, structure):
    """`structure` maps a structural token's name to its id; counts [vocabulary] is how often each token occurs, at least 1."""
    words, rarity = word_vectors(vectors, counts)
    embedding = model.model.embed_tokens.weight
    embedding.zero_()
    embedding[:, :WORD] = 12 * torch.from_numpy(words).float()
    embedding[:, RARITY] = 6 * torch.from_numpy(rarity).float()
    for name, token in structure.items():
        embedding[token] = 0
        for flag, names in ((MARKER, ("noul", "choice", "score")), (OPTION, ("option",)), (END, ("/option",)), (DECIDE, ("decide",)), (STATE, ("state",))):
            if name in names:
                embedding[token, flag] = 12
    embedding[:, CONSTANT] = 6

    size = model.config.head_dim
    first, second = (layer.self_attn for layer in model.model.layers[:2])

    def set_row(weight, row, **entries):
        weight[row] = 0
        for place, value in entries.items():
            weight[row, globals()[place]] = value

    def clear_head(weight, head):
        weight[head * size : (head + 1) * size] = 0

    # where the markers are
    for head in (0, 1):
        clear_head(first.q_proj.weight, head)
    clear_head(first.k_proj.weight, 0)
    clear_head(first.v_proj.weight, 0)
    set_row(first.q_proj.weight, A, CONSTANT=1)
    set_row(first.q_proj.weight, size + B, CONSTANT=1)
    set_row(first.k_proj.weight, A, MARKER=1)
    set_row(first.k_proj.weight, B, OPTION=1)
    set_row(first.k_proj.weight, C, CONSTANT=0.5)
    set_row(first.v_proj.weight, 0, MARKER=0.6)
    set_row(first.v_proj.weight, 1, OPTION=0.6)
    first.o_proj.weight[IN_BRANCH, 0] = 1
    first.o_proj.weight[IN_OPTION, size + 1] = 1
    first.q_norm.weight.fill_(1.5)

    # mean word vectors
    for group in (0, 1):
        query, key = 2 * group * size, group * size
        clear_head(second.q_proj.weight, 2 * group)
        clear_head(second.k_proj.weight, group)
        set_row(second.k_proj.weight, key + A, STATE=2)
        set_row(second.k_proj.weight, key + B, RARITY=1)
        set_row(second.k_proj.weight, key + C, IN_OPTION=1.5)
        set_row(second.k_proj.weight, key + D, IN_BRANCH=1)
        set_row(second.k_proj.weight, key + E, CONSTANT=2)
        set_row(second.q_proj.weight, query + A, CONSTANT=10 / 6, END=-10 / 12, DECIDE=-10 / 12)
        set_row(second.q_proj.weight, query + B, END=6.4 / 12, DECIDE=6.4 / 12)
        set_row(second.q_proj.weight, query + C, END=15 / 12)
        set_row(second.q_proj.weight, query + D, DECIDE=-20 / 12)
        set_row(second.q_proj.weight, query + IDLE, CONSTANT=18 / 6, DECIDE=-18 / 12, END=-5 / 12)
        clear_head(second.v_proj.weight, group)
        place = torch.arange(size)
        second.v_proj.weight[key + place, key + place] = 1
        second.o_proj.weight[key + place, query + place] = 3
    second.q_norm.weight.fill_(1.6)
    second.k_norm.weight.fill_(1.6)

    for linear in model.pointer.values():
        linear.weight.zero_()
        linear.weight[torch.arange(MATCHED), torch.arange(MATCHED)] = 1
