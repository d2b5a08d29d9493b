"""What the model learns to draw: scenes of objects and words on a plain background, 256 x 256 pixels.

Everything stands on the grid of 32-pixel tokens. An object in a place is then always the same tokens, which is what makes so small
a model learn it in so little time.
"""
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from recolour import LEAST, recolour, share_of_part

SIDE, CELL = 256, 32
# Letters stand in columns 1 to 7.
LONGEST_WORD = 7
OBJECTS = json.loads((Path(__file__).parent / "objects.json").read_text())
STYLES = ("3d", "flat")
COLOURS = {
    "white": (255, 255, 255), "black": (24, 24, 27), "gray": (156, 163, 175), "red": (239, 68, 68), "orange": (251, 146, 60),
    "yellow": (253, 224, 71), "green": (74, 180, 100), "blue": (59, 130, 246), "purple": (147, 86, 220), "pink": (249, 168, 212),
}
BIG, SMALL = 192, 128
# Left and top edge of each place, in pixels.
PLACES = {
    "middle": (64, 64), "left": (0, 64), "right": (128, 64), "top": (64, 0), "bottom": (64, 128),
    "top left": (0, 0), "top right": (128, 0), "bottom left": (0, 128), "bottom right": (128, 128),
}
# Upper edge of a line of letters, in tokens.
LINES = {"top": 1, "middle": 3, "bottom": 5}
FONTS = {font: f"/usr/share/fonts/truetype/dejavu/DejaVu{name}-Bold.ttf" for font, name in (("sans", "SansMono"), ("serif", "Serif"))}


GLYPHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "


@dataclass(frozen=True)
class Item:
    """`colour` is the object's own where it has one; empty for how it usually looks."""

    name: str
    place: str = "big"
    style: str = "3d"
    colour: str = ""


@dataclass(frozen=True)
class Scene:
    """A background of one colour, or from one at the top to another below (`fade`); `ink` is the word's colour, else black or white."""

    background: str
    items: tuple = ()
    fade: str = ""
    word: str = ""
    ink: str = ""
    font: str = "sans"
    line: str = "middle"
    border: str = ""
    grayscale: bool = False
    mirrored: bool = False

    def but(self, **changes):
        return replace(self, **changes)


def draw_letter(file, letter):
    """Opacity [64,32,1]; letters wider than a token are made narrower."""
    mask = Image.new("L", (4 * CELL, 2 * CELL))
    font = ImageFont.truetype(file, 53.2)
    ImageDraw.Draw(mask).text((0, 52), letter, 255, font, anchor="ls")
    width = max(CELL, round(font.getlength(letter)))
    narrow = mask.crop((0, 0, width, 2 * CELL)).resize((CELL, 2 * CELL), Image.LANCZOS)
    return np.asarray(narrow, np.float32)[..., None] / 255


def halve(values):
    """[H,W,C] to [H/2,W/2,C]: means of 2 x 2."""
    height, width, channels = values.shape
    return values.reshape(height // 2, 2, width // 2, 2, channels).mean((1, 3))


class Renderer:
    def __init__(self, data, half=False):
        """data is the folder with 3d/, flat/ of the emoji pictures; half draws at half the size, which is what latents see of a picture."""
        self.data, self.half, self.sprites = Path(data), half, {}
        self.letters = {(name, letter): self.fit(draw_letter(file, letter)) for name, file in FONTS.items() for letter in GLYPHS}

    def fit(self, values):
        return halve(values) if self.half else values

    def open(self, name, style, size):
        """Colours [size,size,3] and opacity [size,size], 0 to 1."""
        picture = Image.open(self.data / style / f"{OBJECTS[name]}.webp").convert("RGBA")
        pixels = np.asarray(picture.resize((size, size), Image.LANCZOS), np.float32) / 255
        return pixels[..., :3], pixels[..., 3]

    def sprite(self, item, size):
        """Colours times opacity, in levels, and what is seen of what lies behind."""
        key = item.name, item.style, item.colour, size
        if key not in self.sprites:
            pixels, alpha = self.open(item.name, item.style, size)
            if item.colour:
                pixels = recolour(pixels, alpha, COLOURS[item.colour])
            opacity = alpha[..., None]
            self.sprites[key] = self.fit(255 * pixels * opacity), self.fit(1 - opacity)
        return self.sprites[key]

    def colourable(self):
        """Objects of which enough takes another colour, in every style."""
        return [name for name in OBJECTS if all(share_of_part(*self.open(name, style, SMALL)) >= LEAST for style in STYLES)]

    def render(self, scene):
        """uint8 [256,256,3], or half of that"""
        scale = 2 if self.half else 1
        side, cell = SIDE // scale, CELL // scale
        above, below = (np.asarray(COLOURS[name], np.float32) for name in (scene.background, scene.fade or scene.background))
        weight = np.linspace(0, 1, side, dtype=np.float32)[:, None, None]
        picture = np.broadcast_to(above + weight * (below - above), (side, side, 3)).copy()
        for item in scene.items:
            big = item.place == "big"
            left, top = (edge // scale for edge in ((CELL, CELL) if big else PLACES[item.place]))
            colours, through = self.sprite(item, BIG if big else SMALL)
            area = picture[top:top + len(through), left:left + len(through)]
            area *= through
            area += colours
        line = LINES[scene.line] * cell
        bright = picture[line + cell, 0] @ (0.299, 0.587, 0.114) > 120
        ink = np.asarray(COLOURS[scene.ink or ("black" if bright else "white")], np.float32)
        for column, letter in enumerate(scene.word, 1):
            area = picture[line:line + 2 * cell, column * cell:(column + 1) * cell]
            area += self.letters[scene.font, letter] * (ink - area)
        if scene.border:
            width, ink = cell // 2, COLOURS[scene.border]
            picture[:width] = picture[-width:] = ink
            picture[:, :width] = picture[:, -width:] = np.asarray(ink)
        if scene.mirrored:
            picture = picture[:, ::-1]
        if scene.grayscale:
            picture = np.broadcast_to(picture @ np.asarray((0.299, 0.587, 0.114), np.float32)[:, None], picture.shape)
        return np.clip(picture + 0.5, 0, 255).astype(np.uint8)
