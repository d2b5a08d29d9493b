"""What the model learns to draw: scenes of objects and words on a plain background, 256 x 256 pixels.

Everything stands on the grid of 32-pixel tokens: an object in boxes of 8 x 8, 4 x 4 or 2 x 2 tokens, so that a part of it is one or several
whole tokens wherever it stands. `content.py` relies on that.
"""
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from recolour import LEAST, share_of_part, split_colour

SIDE, CELL = 256, 32
OBJECTS = json.loads((Path(__file__).parent / "objects.json").read_text())
# Objects that take other colours, as colourable.py found them.
COLOURABLE = json.loads((Path(__file__).parent / "colourable.json").read_text())
STYLES = ("3d", "flat")
COLOURS = {
    "white": (255, 255, 255), "black": (24, 24, 27), "gray": (156, 163, 175), "red": (239, 68, 68), "orange": (251, 146, 60),
    "yellow": (253, 224, 71), "green": (74, 180, 100), "blue": (59, 130, 246), "purple": (147, 86, 220), "pink": (249, 168, 212),
}
# Side of an object's box and of the object in the middle of it, in pixels.
SIZES = {"big": (256, 208), "small": (128, 116), "tiny": (64, 58)}
# Left and top edge of a small object's box, in pixels.
PLACES = {
    "middle": (64, 64), "left": (0, 64), "right": (128, 64), "top": (64, 0), "bottom": (64, 128),
    "top left": (0, 0), "top right": (128, 0), "bottom left": (0, 128), "bottom right": (128, 128),
}
# The same of tiny objects: like the spots of a die, a token away from the edges.
SPOTS = {"tiny middle": (96, 96), "tiny 1": (32, 32), "tiny 2": (160, 32), "tiny 3": (32, 160), "tiny 4": (160, 160)}
# As many tiny objects as have room, which only the autoencoder is shown.
PACKED = {f"tiny at {left}, {top}": (left, top) for top in range(0, SIDE, 64) for left in range(0, SIDE, 64)}
BOXES = {"big": (0, 0), **PLACES, **SPOTS, **PACKED}
# Upper edge of a line of letters, in tokens; `first` and `second` are the lines of two.
LINES = {"top": 1, "middle": 3, "bottom": 5, "first": 2, "second": 4}
FONTS = {font: f"/usr/share/fonts/truetype/dejavu/DejaVu{name}-Bold.ttf" for font, name in (("sans", "SansMono"), ("serif", "Serif"))}
# Letters of a word up to this long are a token wide and two high; those of longer ones are half of that.
WIDE_WORD, LONGEST_WORD = 8, 12


def size_of(place):
    """Name of an object's size."""
    return "big" if place == "big" else "small" if place in PLACES else "tiny"


GLYPHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!?&-.' "


@dataclass(frozen=True)
class Item:
    """`colour` is the object's own where it has one; empty for how it usually looks."""

    name: str
    place: str = "big"
    style: str = "3d"
    colour: str = ""


@dataclass(frozen=True)
class Scene:
    """A background of one colour, or from one at the top to another below (`fade`); `ink` is the
    colour of `word` and of `below`, the word of a second line, else black or white."""

    background: str
    items: tuple = ()
    fade: str = ""
    word: str = ""
    below: str = ""
    ink: str = ""
    font: str = "sans"
    line: str = "middle"
    border: str = ""
    grayscale: bool = False
    mirrored: bool = False

    def but(self, **changes):
        return replace(self, **changes)


def draw_letter(file, letter, wide):
    """Opacity [64,32,1], or half of that; letters wider than their place are made narrower."""
    scale = 1 if wide else 2
    width, height = CELL // scale, 2 * CELL // scale
    mask = Image.new("L", (4 * CELL, height))
    font = ImageFont.truetype(file, 53.2 / scale)
    ImageDraw.Draw(mask).text((0, 52 // scale), letter, 255, font, anchor="ls")
    full = max(width, round(font.getlength(letter)))
    narrow = mask.crop((0, 0, full, height)).resize((width, height), Image.LANCZOS)
    return np.asarray(narrow, np.float32)[..., None] / 255


def halve(values):
    """[H,W,C] to [H/2,W/2,C]: means of 2 x 2."""
    height, width, channels = values.shape
    return values.reshape(height // 2, 2, width // 2, 2, channels).mean((1, 3))


def columns(word):
    """Left edge of every letter of a line, in pixels, and whether letters are wide. The line stands in the middle, on the grid."""
    wide = len(word) <= WIDE_WORD
    width = CELL if wide else CELL // 2
    start = (SIDE // width - len(word)) // 2
    return [width * (start + at) for at in range(len(word))], wide


class Renderer:
    def __init__(self, data, half=False):
        """data is the folder with 3d/, flat/ of the emoji pictures; half draws at half the size, which is what latents see of a picture."""
        self.data, self.half, self.sprites = Path(data), half, {}
        self.letters = {(name, letter, wide): self.fit(draw_letter(file, letter, wide))
                        for name, file in FONTS.items() for letter in GLYPHS for wide in (True, False)}

    def fit(self, values):
        return halve(values) if self.half else values

    def open(self, name, style, size):
        """Colours [box,box,3] and opacity [box,box], 0 to 1, of an object in the middle of its box."""
        box, inside = SIZES[size]
        picture = Image.open(self.data / style / f"{OBJECTS[name]}.webp").convert("RGBA")
        pixels = np.zeros((box, box, 4), np.float32)
        edge = (box - inside) // 2
        pixels[edge:edge + inside, edge:edge + inside] = np.asarray(picture.resize((inside, inside), Image.LANCZOS), np.float32) / 255
        return pixels[..., :3], pixels[..., 3]

    def layers(self, name, style, size):
        """Colours times opacity [S,S,3], in levels, and what is seen of what lies behind [S,S,1]; the same where a colour of its own is to come,
        and how much of it, for objects that take one. Kept for objects that come again."""
        key = name, style, size
        if key not in self.sprites:
            pixels, alpha = self.open(name, style, size)
            opacity = alpha[..., None]
            made = [255 * pixels * opacity, 1 - opacity]
            if name in COLOURABLE:
                made += [part * opacity for part in split_colour(pixels, alpha)]
            self.sprites[key] = [self.fit(part).astype(np.float32) for part in made]
        return self.sprites[key]

    def sprite(self, item, size):
        """Colours times opacity, in levels, and what is seen of what lies behind."""
        colours, through, *own = self.layers(item.name, item.style, size)
        if not item.colour:
            return colours, through
        rest, shade = own
        return 255 * rest + shade * np.asarray(COLOURS[item.colour], np.float32), through

    def colourable(self):
        """Objects of which enough takes another colour, in every style."""
        return [name for name in OBJECTS if all(share_of_part(*self.open(name, style, "small")) >= LEAST for style in STYLES)]

    def write(self, picture, scene, word, row):
        """A line of letters, on the picture, from a row of tokens on."""
        scale = 2 if self.half else 1
        top = row * CELL // scale
        bright = picture[min(top + CELL // scale, len(picture) - 1), 0] @ (0.299, 0.587, 0.114) > 120
        ink = np.asarray(COLOURS[scene.ink or ("black" if bright else "white")], np.float32)
        edges, wide = columns(word)
        for left, letter in zip(edges, word):
            opacity = self.letters[scene.font, letter, wide]
            height, width, _ = opacity.shape
            area = picture[top:top + height, left // scale:left // scale + width]
            area += opacity * (ink - area)

    def render(self, scene):
        """uint8 [256,256,3], or half of that"""
        scale = 2 if self.half else 1
        side, cell = SIDE // scale, CELL // scale
        above, below = (np.asarray(COLOURS[name], np.float32) for name in (scene.background, scene.fade or scene.background))
        weight = np.linspace(0, 1, side, dtype=np.float32)[:, None, None]
        picture = np.broadcast_to(above + weight * (below - above), (side, side, 3)).copy()
        for item in scene.items:
            left, top = (edge // scale for edge in BOXES[item.place])
            colours, through = self.sprite(item, size_of(item.place))
            area = picture[top:top + len(through), left:left + len(through)]
            area *= through
            area += colours
        if scene.word:
            self.write(picture, scene, scene.word, LINES["first" if scene.below else scene.line])
        if scene.below:
            self.write(picture, scene, scene.below, LINES["second"])
        if scene.border:
            width, ink = cell // 2, COLOURS[scene.border]
            picture[:width] = picture[-width:] = ink
            picture[:, :width] = picture[:, -width:] = np.asarray(ink)
        if scene.mirrored:
            picture = picture[:, ::-1]
        if scene.grayscale:
            picture = np.broadcast_to(picture @ np.asarray((0.299, 0.587, 0.114), np.float32)[:, None], picture.shape)
        return np.clip(picture + 0.5, 0, 255).astype(np.uint8)
