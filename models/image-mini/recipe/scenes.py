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
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf"


@dataclass(frozen=True)
class Item:
    name: str
    place: str = "big"
    style: str = "3d"


@dataclass(frozen=True)
class Scene:
    background: str
    items: tuple = ()
    word: str = ""
    border: str = ""
    grayscale: bool = False
    mirrored: bool = False

    def but(self, **changes):
        return replace(self, **changes)


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
        font = ImageFont.truetype(FONT, 26.6)
        self.letters = {}
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            mask = Image.new("L", (CELL, 2 * CELL))
            ImageDraw.Draw(mask).text((0, 26), letter, 255, font, anchor="ls")
            self.letters[letter] = np.asarray(mask, np.float32)[..., None] / 255

    def render(self, scene):
        """uint8 [128,128,3]"""
        colour = np.asarray(COLOURS[scene.background], np.float32)
        picture = np.broadcast_to(colour, (SIDE, SIDE, 3)).copy()
        for item in scene.items:
            size = BIG if item.place == "big" else SMALL
            left, top = (CELL, CELL) if item.place == "big" else PLACES[item.place]
            colours, through = self.sprites[item.name, item.style, size]
            area = picture[top:top + size, left:left + size]
            area *= through
            area += colours
        ink = np.asarray(COLOURS["black" if colour @ (0.299, 0.587, 0.114) > 120 else "white"], np.float32)
        top = 5 * CELL if scene.items else 3 * CELL
        for i, letter in enumerate(scene.word):
            mask, left = self.letters[letter], (i + 1) * CELL
            area = picture[top:top + 2 * CELL, left:left + CELL]
            area += mask * (ink - area)
        if scene.border:
            width, ink = CELL // 2, COLOURS[scene.border]
            picture[:width] = picture[-width:] = ink
            picture[:, :width] = picture[:, -width:] = np.asarray(ink)
        if scene.mirrored:
            picture = picture[:, ::-1]
        if scene.grayscale:
            picture = np.broadcast_to(picture @ np.asarray((0.299, 0.587, 0.114), np.float32)[:, None], picture.shape)
        return np.clip(picture + 0.5, 0, 255).astype(np.uint8)
