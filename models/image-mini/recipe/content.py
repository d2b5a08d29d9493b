"""What the latents say: a token of the picture names what it shows, beside how that looks.

A token of 32 x 32 pixels shows a background, a part of an object, one wide letter's half or two narrow letters, and perhaps a border. These are
written as numbers: the colour behind, which object, in which style and colour of its own, which part of it, which letters. A transformer that
predicts them learns what is where in minutes, as that is the same for all objects. What a part looks like it then has to work out from the object and the part alone.
"""
from dataclasses import dataclass

import numpy as np
import torch

from looks import LOOK
from scenes import BOXES, CELL, COLOURS, GLYPHS, LINES, SIDE, STYLES, columns, size_of

GRID, CHANNELS = SIDE // CELL, 120
FIELDS = {"back": 3, "slope": 3, "object": 1, "style": 1, "tinted": 1, "tint": 3, "mirrored": 1, "gray": 1, "size": 3, "part": 6, "sides": 4,
          "border": 3, "letters": 1, "wide": 1, "half": 1, "serif": 1, "ink": 3, "left": 10, "right": 10, "code": 31, "mark": 8, "look": LOOK}
SIZES = ("big", "small", "tiny")
ON = 1.5


def _slices():
    at, found = 0, {}
    for name, width in FIELDS.items():
        found[name] = slice(at, at + width)
        at += width
    assert at == CHANNELS
    return found


AT = _slices()
CODE = FIELDS["code"]
# Where in its token each of the four cells stands, as the decoder is told: channels 22 and 23 of a cell.
MARK = torch.tensor([-1.0, -1, 1, 1, -1, 1, -1, 1])


def level(colour):
    return np.asarray(colour, np.float32) / 127.5 - 1


def glyph_codes():
    """[glyphs,10]: as far from each other as random rows are; the space is nothing."""
    rows = np.random.default_rng(5).choice([-1.0, 1.0], (4096, 10)).astype(np.float32)
    chosen = [rows[0]]
    for row in rows:
        if len(chosen) == len(GLYPHS):
            break
        if all(abs(row - other).sum() >= 4 for other in chosen):
            chosen.append(row)
    assert len(chosen) == len(GLYPHS), len(chosen)
    codes = np.stack(chosen)
    codes[GLYPHS.index(" ")] = 0
    return codes


GLYPH_CODES = glyph_codes()


def part_of(row, column, side):
    """Where in its box of side x side tokens a part is, 6 numbers."""
    found = []
    for at in ((2 * column + 1) / side - 1, (2 * row + 1) / side - 1):
        found += [ON * at, np.sin(np.pi * at), np.cos(np.pi * at)]
    return np.asarray(found, np.float32)


class Contents:
    """Scenes to tokens [64,120], row by row."""

    def __init__(self, codes, looks):
        """codes [objects,31], by the object's name."""
        self.codes, self.looks = codes, looks

    def of(self, scene):
        grid = np.zeros((GRID, GRID, CHANNELS), np.float32)
        above, below = (np.asarray(COLOURS[name], np.float32) for name in (scene.background, scene.fade or scene.background))
        if scene.grayscale:
            above, below = (np.full(3, colour @ (0.299, 0.587, 0.114), np.float32) for colour in (above, below))
        for row in range(GRID):
            grid[row, :, AT["back"]] = level(above + (row + 0.5) / GRID * (below - above))
        grid[..., AT["slope"]] = level(below) - level(above)
        for item in scene.items:
            self.place(grid, scene, item)
        if scene.word:
            self.write(grid, scene, scene.word, LINES["first" if scene.below else scene.line])
        if scene.below:
            self.write(grid, scene, scene.below, LINES["second"])
        if scene.border:
            for side, where in enumerate((np.s_[:, 0], np.s_[:, -1], np.s_[0], np.s_[-1])):
                grid[where + (AT["sides"].start + side,) if isinstance(where, tuple) else (where, slice(None), AT["sides"].start + side)] = ON
            edge = np.ones((GRID, GRID), bool)
            edge[1:-1, 1:-1] = False
            grid[edge, AT["border"]] = level(COLOURS[scene.border])
        if scene.mirrored:
            grid = self.mirror(grid)
        if scene.grayscale:
            grid[..., AT["gray"]] = ON
        return grid.reshape(GRID * GRID, CHANNELS)

    def place(self, grid, scene, item):
        left, top = (edge // CELL for edge in BOXES[item.place])
        size = size_of(item.place)
        side = {"big": 8, "small": 4, "tiny": 2}[size]
        area = grid[top:top + side, left:left + side]
        area[..., AT["object"]] = ON
        area[..., AT["style"]] = ON if item.style == STYLES[0] else -ON
        area[..., AT["code"]] = self.codes[item.name]
        area[..., AT["size"].start + SIZES.index(size)] = ON
        gray = (COLOURS[item.colour] if item.colour else ()) if scene.grayscale else None
        parts = self.looks.of(item.name, item.style, size, bool(item.colour), scene.mirrored, gray)
        # The whole grid is turned once everything stands in it.
        area[..., AT["look"]] = parts[:, ::-1] if scene.mirrored else parts
        if item.colour and not scene.grayscale:
            area[..., AT["tinted"]] = ON
            area[..., AT["tint"]] = level(COLOURS[item.colour])
        for row in range(side):
            for column in range(side):
                area[row, column, AT["part"]] = part_of(row, column, side)

    def write(self, grid, scene, word, top):
        """A line of letters from a row on; which of black and white it has is decided as the renderer does."""
        above, below = (np.asarray(COLOURS[name], np.float32) for name in (scene.background, scene.fade or scene.background))
        behind = above + (top * CELL + CELL) / (SIDE - 1) * (below - above)
        ink = level(COLOURS[scene.ink or ("black" if behind @ (0.299, 0.587, 0.114) > 120 else "white")])
        edges, wide = columns(word)
        for edge, glyph in zip(edges, word):
            code, column = GLYPH_CODES[GLYPHS.index(glyph)], edge // CELL
            for half in range(2 if wide else 1):
                token = grid[top + half, column]
                token[AT["letters"]] = ON
                token[AT["wide"]] = ON if wide else 0
                token[AT["half"]] = ON * (2 * half - 1) if wide else 0
                token[AT["serif"]] = ON if scene.font == "serif" else 0
                token[AT["ink"]] = ink
                if wide:
                    token[AT["left"]] = token[AT["right"]] = code
                else:
                    token[AT["right" if edge % CELL else "left"]] = code

    def mirror(self, grid):
        grid = grid[:, ::-1].copy()
        left, right = grid[..., AT["left"]].copy(), grid[..., AT["right"]].copy()
        grid[..., AT["left"]], grid[..., AT["right"]] = right, left
        sides, part = AT["sides"].start, AT["part"].start
        grid[..., [sides, sides + 1]] = grid[..., [sides + 1, sides]]
        grid[..., AT["mirrored"]] = ON
        return grid

    def encode(self, scenes):
        return torch.from_numpy(np.stack([self.of(scene) for scene in scenes]))


def unpack(tokens):
    """Tokens [B,64,120] to latents [B,30,16,16], as the pipeline's batch norm and pixel shuffle make them."""
    tokens = tokens.clone()
    tokens[..., AT["mark"]] += MARK.to(tokens)
    grid = tokens.transpose(1, 2).unflatten(2, (GRID, GRID))
    return torch.nn.functional.pixel_shuffle(grid, 2)


def pack(latents):
    """Latents [B,30,16,16] to tokens [B,64,120]."""
    tokens = torch.nn.functional.pixel_unshuffle(latents, 2).flatten(2).transpose(1, 2).clone()
    tokens[..., AT["mark"]] -= MARK.to(tokens)
    return tokens
