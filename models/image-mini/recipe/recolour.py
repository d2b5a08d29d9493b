"""Colours of objects: which part of a sprite has the colour that one would name, and what it looks like in another.

That part is what lies near the hue that most of the sprite's colourfulness has: the body of a car, not its windows and tyres. Where too
little of a sprite does, as with a rainbow or a panda, it isn't recoloured.
"""
import numpy as np

# Hues this near to the commonest one, in degrees, belong to it; the edge is soft.
NEAR, SOFT = 32, 16
# Least chroma of a coloured pixel, and the least share of an object's area that must take the new colour.
COLOURED, LEAST = 0.12, 0.45


def hue_of(pixels):
    """pixels [H,W,3] of 0 to 1: hue in degrees, chroma and value."""
    high, low = pixels.max(-1), pixels.min(-1)
    chroma = high - low
    red, green, blue = np.moveaxis(pixels, -1, 0)
    safe = np.where(chroma > 0, chroma, 1)
    hue = np.select(
        [high == red, high == green], [(green - blue) / safe % 6, (blue - red) / safe + 2], (red - green) / safe + 4)
    return 60 * hue, chroma, high


def named_part(pixels, alpha):
    """Weights [H,W] of the part that the sprite's commonest hue covers, 0 to 1."""
    hue, chroma, _ = hue_of(pixels)
    weight = np.where(chroma > COLOURED, chroma, 0) * alpha
    counts = np.bincount((hue // 5).astype(int).ravel() % 72, weight.ravel(), 72)
    smooth = sum(np.roll(counts, shift) for shift in range(-3, 4))
    distance = np.abs((hue - 5 * smooth.argmax() - 2.5 + 180) % 360 - 180)
    return np.clip((NEAR + SOFT - distance) / SOFT, 0, 1) * np.clip((chroma - COLOURED / 2) / (COLOURED / 2), 0, 1)


def share_of_part(pixels, alpha):
    """Share of a sprite's area that a new colour would change."""
    return float((named_part(pixels, alpha) * alpha).sum() / alpha.sum())


def split_colour(pixels, alpha):
    """What a sprite is made of, [H,W,3] and [H,W,1]: in another colour it is the first plus the second times that colour."""
    part = named_part(pixels, alpha)[..., None]
    _, chroma, value = hue_of(pixels)
    saturation = chroma / np.maximum(value, 1e-3)
    inside = (part[..., 0] > 0.5) & (alpha > 0.5)
    usual_value, usual_saturation = (np.percentile(of[inside], 60) for of in (value, saturation))
    light = np.clip(value / usual_value, 0, 1.2)[..., None]
    full = np.clip(saturation / usual_saturation, 0, 1)[..., None]
    return pixels * (1 - part) + part * light * (1 - full), part * light * full

