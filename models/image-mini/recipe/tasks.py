"""Random scenes to draw and random edits of them."""
from captions import pick
from scenes import COLOURS, LINES, LONGEST_WORD, OBJECTS, PLACES, STYLES, Item, Scene

NAMES, BACKGROUNDS = list(OBJECTS), list(COLOURS)
WORDS = (
    "hi hey yes no ok go wow fun sale love hope home cat dog fox sun sky star moon cake open close stop start play game team "
    "hello happy party music pizza bread fresh green thanks please welcome summer winter spring autumn coffee tea milk zoo park "
    "new free best day night king queen magic dream peace smile lucky super cool hot cold big top bye wild jazz rock quiz box"
).upper().split()
PAIRS = (("left", "right"), ("top", "bottom"))
GROUPS = {
    2: ("left", "right"), 3: ("top left", "top right", "bottom"), 4: ("top left", "top right", "bottom left", "bottom right"),
}


def random_word(rng):
    kind = rng.random()
    if kind < 0.4:
        return pick(rng, WORDS)
    letters = "".join(chr(65 + letter) for letter in rng.integers(26, size=rng.integers(2, LONGEST_WORD + 1)))
    if kind < 0.9 or len(letters) < 5:
        return letters
    gap = rng.integers(2, len(letters) - 2)
    return f"{letters[:gap]} {letters[gap + 1:]}"


def random_text(rng, ground, line):
    """Word, ink and font, and the line in which it stands when that is left open. A gradient leaves no words in a caption for ink and font."""
    plain = ground["fade"] or rng.random() < 0.6
    ink = "" if plain or rng.random() < 0.25 else pick(rng, [name for name in BACKGROUNDS if name != ground["background"]])
    font = "sans" if plain or rng.random() < 0.5 else "serif"
    line = line or ("middle" if rng.random() < 0.6 else pick(rng, list(LINES)))
    return {"word": random_word(rng), "ink": ink, "font": font, "line": line}


def two_names(rng):
    first, second = rng.choice(len(NAMES), 2, replace=False)
    return NAMES[first], NAMES[second]


def random_background(rng):
    background = pick(rng, BACKGROUNDS)
    fade = pick(rng, [name for name in BACKGROUNDS if name != background]) if rng.random() < 0.08 else ""
    return {"background": background, "fade": fade}


def random_scene(rng):
    ground, style, kind = random_background(rng), pick(rng, STYLES), rng.random()
    if kind < 0.22:
        return Scene(**ground, items=(Item(pick(rng, NAMES), "big", style),))
    if kind < 0.32:
        return Scene(**ground, items=(Item(pick(rng, NAMES), pick(rng, list(PLACES)), style),))
    if kind < 0.46:
        return Scene(**ground, items=tuple(Item(name, place, style) for name, place in zip(two_names(rng), pick(rng, PAIRS))))
    if kind < 0.51:
        name = pick(rng, NAMES)
        return Scene(**ground, items=tuple(Item(name, place, style) for place in GROUPS[rng.integers(2, 5)]))
    if kind < 0.55:
        places = GROUPS[rng.integers(3, 5)]
        names = rng.choice(len(NAMES), len(places), replace=False)
        return Scene(**ground, items=tuple(Item(NAMES[name], place, style) for name, place in zip(names, places)))
    if kind < 0.92:
        return Scene(**ground, **random_text(rng, ground, ""))
    return Scene(**ground, items=(Item(pick(rng, NAMES), "top", style),), **random_text(rng, ground, "bottom"))


def two_objects(rng):
    style, places = pick(rng, STYLES), pick(rng, PAIRS)
    items = [Item(name, place, style) for name, place in zip(two_names(rng), places)]
    return Scene(pick(rng, BACKGROUNDS), tuple(items))


EDITS = {"background": 0.14, "replace": 0.22, "add": 0.1, "remove": 0.12, "move": 0.08, "mirror": 0.08, "grayscale": 0.06,
         "style": 0.12, "border": 0.03, "recolor": 0.05}


def random_edit(rng, kind):
    """(before, after, what is said about it)"""
    before = random_scene(rng)
    if kind == "background":
        colour = pick(rng, [name for name in BACKGROUNDS if name != before.background])
        return before, before.but(background=colour, fade=""), {"colour": colour}
    if kind == "recolor":
        ground = random_background(rng)
        before = Scene(**ground, **random_text(rng, ground, ""))
        # black or white is what letters are when no ink is named
        taken = (before.background, before.fade, *([before.ink] if before.ink else ("black", "white")))
        colour = pick(rng, [name for name in BACKGROUNDS if name not in taken])
        return before, before.but(ink=colour), {"colour": colour}
    if kind == "mirror":
        return before, before.but(mirrored=True), {}
    if kind == "grayscale":
        return before, before.but(grayscale=True), {}
    if kind == "border":
        colour = pick(rng, [name for name in BACKGROUNDS if name != before.background])
        return before, before.but(border=colour), {"colour": colour}
    if kind in ("replace", "style"):
        if rng.random() < 0.5:
            place = "big" if rng.random() < 0.6 else pick(rng, list(PLACES))
            before = Scene(before.background, (Item(pick(rng, NAMES), place, pick(rng, STYLES)),))
        else:
            before = two_objects(rng)
        if kind == "style":
            style = "flat" if before.items[0].style == "3d" else "3d"
            items = tuple(Item(item.name, item.place, style) for item in before.items)
            return before, before.but(items=items), {"style": style}
        at = rng.integers(len(before.items))
        old = before.items[at]
        new = pick(rng, [name for name in NAMES if all(name != item.name for item in before.items)])
        items = before.items[:at] + (Item(new, old.place, old.style),) + before.items[at + 1:]
        return before, before.but(items=items), {"old": old.name, "new": new}
    both = two_objects(rng)
    at = rng.integers(2)
    one, other = both.items[at], both.items[1 - at]
    alone = both.but(items=(one,))
    if kind == "add":
        return alone, both, {"new": other.name, "place": other.place}
    if kind == "remove":
        return both, alone, {"old": other.name}
    place = pick(rng, [place for place in PLACES if place != one.place])
    return alone, alone.but(items=(Item(one.name, place, one.style),)), {"old": one.name, "place": place}


def random_pair(rng, kind=None):
    """(before, after, facts, kind)"""
    kind = kind or rng.choice(list(EDITS), p=list(EDITS.values()))
    return (*random_edit(rng, kind), kind)


def random_combination(rng):
    """(first, second, after, what is said about it): one large object in each source, both side by side on the first one's background."""
    names, style = two_names(rng), pick(rng, STYLES)
    first, second = (Scene(pick(rng, BACKGROUNDS), (Item(name, "big", style),)) for name in names)
    after = first.but(items=tuple(Item(name, place, style) for name, place in zip(names, PAIRS[0])))
    return first, second, after, {"first": names[0], "second": names[1]}
