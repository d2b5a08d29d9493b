"""Weights with which the text encoder counts the letters of a quoted word before any training.

What draws the third letter of a word must find it among the caption's tokens. Learnt from noise, no word was readable after 3,700 steps;
started here, every letter says its place in the word from the first step on. The last dimensions of the residual stream hold what that takes:

    layer 0   head 0 writes whether a quote stands before the token
    layer 1   head 0 averages over a quoted word so far, to which only the quote adds anything: WEIGHT / (WEIGHT + letters so far);
              its feed-forward turns that number into one dimension a place, as differences of steps
"""
import math

import torch
import torch.nn.functional as F

from scenes import LONGEST_WORD

CONSTANT, LETTER, QUOTE, QUOTED, COUNT = range(-5, 0)
PLACE = -5 - LONGEST_WORD
SIZE, WEIGHT = 5.0, 8
# Rotary frequencies so low that they leave content where it is whatever the distance.
STILL, FILL = 31, 30
STEEPNESS, HALF_STEP = 100.0, 1.0


def set_row(weight, row, **entries):
    weight[row] = 0
    for place, value in entries.items():
        weight[row, globals()[place]] = value


@torch.no_grad()
def start_spelling(encoder, letters, quote):
    """`letters` are the ids of single letters and of the space, `quote` that of the quotation mark."""
    embedding, size = encoder.embed_tokens.weight, encoder.config.head_dim
    embedding[:, PLACE:] = 0
    embedding[:, CONSTANT] = SIZE
    embedding[letters, LETTER] = SIZE
    embedding[quote, QUOTE] = SIZE
    first, second = (layer.self_attn for layer in encoder.layers[:2])
    for attention in (first, second):
        for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
            projection.weight[:size] = 0
        set_row(attention.q_proj.weight, STILL, CONSTANT=1)
        set_row(attention.k_proj.weight, FILL, CONSTANT=0.3)
        set_row(attention.v_proj.weight, 0, QUOTE=1)

    # Any token sees the quotes before it; without one, what it sees instead holds nothing.
    set_row(first.k_proj.weight, STILL, QUOTE=2, CONSTANT=-1)
    first.o_proj.weight[QUOTED, 0] = 1
    opening = embedding[quote].clone()
    opening[QUOTED] = F.rms_norm(opening, opening.shape)[QUOTE]

    # Letters behind a quote have a key whose score is log(WEIGHT) below the quote's, all others one far below both.
    behind = 1.5 * SIZE - opening[QUOTED]
    wanted = SIZE - behind
    top = wanted / math.hypot(wanted, 0.3 * SIZE)
    slope = top - math.log(WEIGHT) / size**0.5
    letter = 0.3 * SIZE * slope / math.sqrt(1 - slope**2)
    set_row(second.k_proj.weight, STILL, LETTER=(behind + letter) / SIZE, QUOTE=1, QUOTED=1, CONSTANT=-1.5)
    second.o_proj.weight[COUNT, 0] = 1
    full = F.rms_norm(opening, opening.shape)[QUOTE]

    mlp = encoder.layers[1].mlp
    for edge in range(LONGEST_WORD + 1):
        threshold = WEIGHT / (WEIGHT + edge + 0.5)
        for unit, sign in ((2 * edge, 1), (2 * edge + 1, -1)):
            set_row(mlp.gate_proj.weight, unit, COUNT=STEEPNESS / full, CONSTANT=(sign * HALF_STEP - STEEPNESS * threshold) / SIZE)
            set_row(mlp.up_proj.weight, unit, CONSTANT=1 / SIZE)
            # This step is up for places up to `edge`: it begins the place `edge` and ends the one before it from below.
            if edge > 0:
                mlp.down_proj.weight[PLACE + edge - 1, unit] = 2 * sign
            if edge < LONGEST_WORD:
                mlp.down_proj.weight[PLACE + edge, unit] = -2 * sign
