"""What the model learns to draw: scenes of objects and words on a plain background, 128 x 128 pixels.

Everything stands on the grid of 16-pixel tokens. An object in a place is then always the same tokens, which is what makes so small
a model learn it in so little time.
"""
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIDE, CELL = 128, 16
# Letters stand in columns 1 to 7.
LONGEST_WORD = 7
OBJECTS = json.loads((Path(__file__).parent / "objects.json").read_text())
STYLES = ("3d", "flat")
COLOURS = {
    "white": (255, 255, 255), "black": (24, 24, 27), "gray": (156, 163, 175), "red": (239, 68, 68), "orange": (251, 146, 60),
    "yellow": (253, 224, 71), "green": (74, 180, 100), "blue": (59, 130, 246), "purple": (147, 86, 220), "pink": (249, 168, 212),
}
BIG, SMALL = 96, 64
# Left and top edge of each place, in pixels.
PLACES = {
    "middle": (32, 32), "left": (0, 32), "right": (64, 32), "top": (32, 0), "bottom": (32, 64),
    "top left": (0, 0), "top right": (64, 0), "bottom left": (0, 64), "bottom right": (64, 64),
}
# Upper edge of a line of letters, in tokens.
LINES = {"top": 1, "middle": 3, "bottom": 5}
FONTS = {font: f"/usr/share/fonts/truetype/dejavu/DejaVu{name}-Bold.ttf" for font, name in (("sans", "SansMono"), ("serif", "Serif"))}


@dataclass(frozen=True)
class Item:
    name: str
    place: str = "big"
    style: str = "3d"


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
    """Opacity [32,16,1]; letters wider than a token are made narrower."""
    mask = Image.new("L", (4 * CELL, 2 * CELL))
    font = ImageFont.truetype(file, 26.6)
    ImageDraw.Draw(mask).text((0, 26), letter, 255, font, anchor="ls")
    width = max(CELL, round(font.getlength(letter)))
    narrow = mask.crop((0, 0, width, 2 * CELL)).resize((CELL, 2 * CELL), Image.LANCZOS)
    return np.asarray(narrow, np.float32)[..., None] / 255


class Renderer:
    def __init__(self, data):
        """data is the folder with 3d/, flat/ of the emoji pictures."""
        self.sprites = {}
        for name, file in OBJECTS.items():
            for style in STYLES:
                picture = Image.open(Path(data) / style / f"{file}.webp").convert("RGBA")
                for size in (BIG, SMALL):
                    pixels = np.asarray(picture.resize((size, size), Image.LANCZOS), np.float32)
                    alpha = pixels[..., 3:] / 255
                    self.sprites[name, style, size] = pixels[..., :3] * alpha, 1 - alpha
        self.letters = {(name, letter): draw_letter(file, letter) for name, file in FONTS.items() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ "}

    def render(self, scene):
        """uint8 [128,128,3]"""
        above, below = (np.asarray(COLOURS[name], np.float32) for name in (scene.background, scene.fade or scene.background))
        weight = np.linspace(0, 1, SIDE, dtype=np.float32)[:, None, None]
        picture = np.broadcast_to(above + weight * (below - above), (SIDE, SIDE, 3)).copy()
        for item in scene.items:
            size = BIG if item.place == "big" else SMALL
            left, top = (CELL, CELL) if item.place == "big" else PLACES[item.place]
            colours, through = self.sprites[item.name, item.style, size]
            area = picture[top:top + size, left:left + size]
            area *= through
            area += colours
        line = LINES[scene.line] * CELL
        bright = picture[line + CELL, 0] @ (0.299, 0.587, 0.114) > 120
        ink = np.asarray(COLOURS[scene.ink or ("black" if bright else "white")], np.float32)
        for column, letter in enumerate(scene.word, 1):
            area = picture[line:line + 2 * CELL, column * CELL:(column + 1) * CELL]
            area += self.letters[scene.font, letter] * (ink - area)
        if scene.border:
            width, ink = CELL // 2, COLOURS[scene.border]
            picture[:width] = picture[-width:] = ink
            picture[:, :width] = picture[:, -width:] = np.asarray(ink)
        if scene.mirrored:
            picture = picture[:, ::-1]
        if scene.grayscale:
            picture = np.broadcast_to(picture @ np.asarray((0.299, 0.587, 0.114), np.float32)[:, None], picture.shape)
        return np.clip(picture + 0.5, 0, 255).astype(np.uint8)
