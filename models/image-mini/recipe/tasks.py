"""Random scenes to draw and random edits of them."""
from dataclasses import replace

from captions import USUAL, coloured, pick
from scenes import COLOURABLE, COLOURS, GLYPHS, LONGEST_WORD, OBJECTS, PLACES, SPOTS, STYLES, WIDE_WORD, Item, Scene

NAMES, BACKGROUNDS = list(OBJECTS), list(COLOURS)
# The most letters that a word may have, as often as they stand here.
SHORT = (5, 5, 5, 6, 6, 7, 8, 8, 10, 12)
# Share of scenes that say something, which is slowest to learn.
WORDS_SHARE = 0.28
# Share of scenes where nothing stands, since nothing asked for is known.
NOTHING_SHARE = 0.03
# Share of these objects that have a colour of their own.
COLOURED = 0.5
WORDS = (
    "hi hey yes no ok go wow fun sale love hope home cat dog fox sun sky star moon cake open close stop start play game team "
    "hello happy party music pizza bread fresh green thanks please welcome summer winter spring autumn coffee tea milk zoo park "
    "new free best day night king queen magic dream peace smile lucky super cool hot cold big top bye wild jazz rock quiz box"
).upper().split()
CAPITALS, SMALL, DIGITS = GLYPHS[:26], GLYPHS[26:52], GLYPHS[52:62]
PAIRS = (("left", "right"), ("top", "bottom"))
# Kinds of several objects, as often as they stand here: how many there are of each.
MIXED = ((2, 1), (2, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 2), (2, 3), (2, 1, 1), (1, 1, 2), (4, 1))
GROUPS = {
    2: ("left", "right"), 3: ("top left", "top right", "bottom"), 4: ("top left", "top right", "bottom left", "bottom right"), 5: tuple(SPOTS),
}


def spelled(rng, word):
    kind = rng.random()
    return word.upper() if kind < 0.5 else word.capitalize() if kind < 0.75 else word.lower()


def random_word(rng, longest=LONGEST_WORD):
    """A word, random letters, digits, or two short words with a space."""
    kind = rng.random()
    if kind < 0.35:
        return spelled(rng, pick(rng, WORDS))[:longest]
    # Most words are short, and letters find their places on those first.
    most = min(longest, pick(rng, SHORT))
    length = rng.integers(1 if kind < 0.45 else 2, most + 1)
    glyphs = CAPITALS if kind < 0.55 else SMALL if kind < 0.68 else GLYPHS if kind < 0.85 else DIGITS
    letters = "".join(glyphs[at] for at in rng.integers(len(glyphs), size=length)).strip() or "A"
    if kind < 0.92 or len(letters) < 5:
        return letters
    gap = rng.integers(2, len(letters) - 2)
    return f"{letters[:gap]} {letters[gap + 1:]}"


def random_text(rng, ground, line):
    """Words, ink and font, and the line in which they stand when that is left open. A gradient leaves no words in a caption for ink and font."""
    plain = ground["fade"] or rng.random() < 0.5
    ink = "" if plain or rng.random() < 0.2 else pick(rng, [name for name in BACKGROUNDS if name != ground["background"]])
    font = "sans" if plain or rng.random() < 0.5 else "serif"
    below = random_word(rng, WIDE_WORD) if not line and rng.random() < 0.2 else ""
    line = line or ("middle" if below or rng.random() < 0.6 else pick(rng, ("top", "middle", "bottom")))
    return {"word": random_word(rng, WIDE_WORD if below else LONGEST_WORD), "below": below, "ink": ink, "font": font, "line": line}


def two_names(rng):
    first, second = rng.choice(len(NAMES), 2, replace=False)
    return NAMES[first], NAMES[second]


def random_background(rng):
    """Often the usual one, which need not be said, and which most people don't."""
    background = USUAL if rng.random() < 0.3 else pick(rng, BACKGROUNDS)
    fade = pick(rng, [name for name in BACKGROUNDS if name != background]) if rng.random() < 0.08 else ""
    return {"background": background, "fade": fade}


def is_held_out(name, colour):
    """Whether training never shows an object in this colour, so that the evaluation can ask for what wasn't seen."""
    return (3 * list(OBJECTS).index(name) + BACKGROUNDS.index(colour)) % 8 == 0


def colours_of(name, *taken):
    return [colour for colour in BACKGROUNDS if colour not in taken and not is_held_out(name, colour)]


def random_item(rng, name, place, style, ground, share=COLOURED):
    """An object, in a colour of its own now and then, never in the background's."""
    if name in COLOURABLE and rng.random() < share:
        return Item(name, place, style, pick(rng, colours_of(name, ground["background"], ground["fade"])))
    return Item(name, place, style)


def random_words(rng):
    """A word or two lines alone, or a word below an object."""
    ground, style = random_background(rng), pick(rng, STYLES)
    if rng.random() < 0.7:
        return Scene(**ground, **random_text(rng, ground, ""))
    return Scene(**ground, items=(random_item(rng, pick(rng, NAMES), "top", style, ground),), **random_text(rng, ground, "bottom"))


def random_scene(rng):
    if rng.random() < WORDS_SHARE:
        return random_words(rng)
    ground, style, kind = random_background(rng), pick(rng, STYLES), rng.random()
    if rng.random() < NOTHING_SHARE:
        return Scene(**ground)
    make = lambda name, place: random_item(rng, name, place, style, ground)
    if kind < 0.3:
        return Scene(**ground, items=(make(pick(rng, NAMES), "big"),))
    if kind < 0.42:
        return Scene(**ground, items=(make(pick(rng, NAMES), pick(rng, [*PLACES, "tiny middle"])),))
    if kind < 0.62:
        return Scene(**ground, items=tuple(make(name, place) for name, place in zip(two_names(rng), pick(rng, PAIRS))))
    if kind < 0.7:
        return Scene(**ground, items=several(rng, (rng.integers(2, 6),), make))
    if kind < 0.82:
        return Scene(**ground, items=several(rng, pick(rng, MIXED), make))
    return Scene(**ground, items=several(rng, (1,) * pick(rng, (3, 3, 3, 4, 4, 4, 5, 5)), make))


def several(rng, counts, make):
    """As many objects of each kind in a row, each kind in one colour."""
    names = rng.choice(len(NAMES), len(counts), replace=False)
    items = [item for name, count in zip(names, counts) for item in [make(NAMES[name], "big")] * count]
    return tuple(replace(item, place=place) for item, place in zip(items, GROUPS[len(items)]))


def two_objects(rng):
    style, places, ground = pick(rng, STYLES), pick(rng, PAIRS), {"background": pick(rng, BACKGROUNDS), "fade": ""}
    return Scene(**ground, items=tuple(random_item(rng, name, place, style, ground, 0.2) for name, place in zip(two_names(rng), places)))


def one_or_two(rng, names):
    """A scene whose first object is one of the names."""
    if rng.random() < 0.5:
        ground = {"background": pick(rng, BACKGROUNDS), "fade": ""}
        place = "big" if rng.random() < 0.6 else pick(rng, list(PLACES))
        return Scene(**ground, items=(random_item(rng, pick(rng, names), place, pick(rng, STYLES), ground, 0.2),))
    both = two_objects(rng)
    name = pick(rng, [name for name in names if name != both.items[1].name])
    return both.but(items=(replace(both.items[0], name=name, colour=""), both.items[1]))


EDITS = {"background": 0.06, "replace": 0.08, "add": 0.1, "beside": 0.07, "remove": 0.05, "move": 0.09, "mirror": 0.11, "grayscale": 0.1,
         "style": 0.07, "border": 0.05, "recolor": 0.06, "paint": 0.1, "retype": 0.06}


def change_all(rng, kind):
    before = random_scene(rng)
    if kind == "mirror":
        return before, before.but(mirrored=True), {}
    if kind == "grayscale":
        return before, before.but(grayscale=True), {}
    taken = (before.background, *(item.colour for item in before.items))
    if kind == "retype":
        ground = random_background(rng)
        before = Scene(**ground, **{**random_text(rng, ground, ""), "below": ""})
        word = random_word(rng)
        return before, before.but(word=word), {"word": word, "said": before.word}
    if kind == "recolor":
        ground = random_background(rng)
        before = Scene(**ground, **random_text(rng, ground, ""))
        # black or white is what letters are when no ink is named
        taken = (before.background, before.fade, *([before.ink] if before.ink else ("black", "white")))
    colour = pick(rng, [name for name in BACKGROUNDS if name not in taken])
    changes = {"background": {"background": colour, "fade": ""}, "border": {"border": colour}, "recolor": {"ink": colour}}
    return before, before.but(**changes[kind]), {"colour": colour}


def change_object(rng, kind):
    before = one_or_two(rng, COLOURABLE if kind == "paint" else NAMES)
    if kind == "style":
        before = before.but(items=before.items[:1])
        style = "flat" if before.items[0].style == "3d" else "3d"
        return before, before.but(items=(replace(before.items[0], style=style),)), {"style": style, "old": before.items[0].name}
    old, *rest = before.items
    if kind == "paint":
        colour = pick(rng, colours_of(old.name, before.background, old.colour))
        new = replace(old, colour=colour)
        return before, before.but(items=(new, *rest)), {"old": old.name, "new": coloured(new), "colour": colour}
    name = pick(rng, [name for name in NAMES if all(name != item.name for item in before.items)])
    new = random_item(rng, name, old.place, old.style, {"background": before.background, "fade": ""}, 0.2)
    return before, before.but(items=(new, *rest)), {"old": old.name, "new": coloured(new)}


def change_number(rng, kind):
    both = two_objects(rng)
    if kind == "beside":
        return add_to_large(rng, both)
    at = rng.integers(2)
    one, other = both.items[at], both.items[1 - at]
    alone = both.but(items=(one,))
    if kind == "add":
        return alone, both, {"new": coloured(other), "place": other.place}
    if kind == "remove":
        return both, alone, {"old": other.name}
    place = pick(rng, [place for place in PLACES if place != one.place])
    return alone, alone.but(items=(replace(one, place=place),)), {"old": one.name, "place": place}


def add_to_large(rng, both):
    """An object that fills the picture makes room for another one."""
    one, other = (replace(item, place=place) for item, place in zip(both.items, PAIRS[0]))
    if rng.random() < 0.3:
        one, other = replace(one, place=other.place), replace(other, place=one.place)
    return both.but(items=(replace(one, place="big"),)), both.but(items=(one, other)), {"new": coloured(other), "old": one.name, "place": other.place}


CHANGES = {"beside": change_number, "replace": change_object, "style": change_object, "paint": change_object,
           "add": change_number, "remove": change_number, "move": change_number}


def random_pair(rng, kind=None):
    """(before, after, facts, kind)"""
    kind = kind or rng.choice(list(EDITS), p=list(EDITS.values()))
    return (*CHANGES.get(kind, change_all)(rng, kind), kind)


def random_combination(rng):
    """(first, second, after, what is said about it): one large object in each source, both side by side on the first one's background."""
    names, style = two_names(rng), pick(rng, STYLES)
    first, second = (Scene(pick(rng, BACKGROUNDS), (Item(name, "big", style),)) for name in names)
    after = first.but(items=tuple(Item(name, place, style) for name, place in zip(names, PAIRS[0])))
    return first, second, after, {"first": names[0], "second": names[1]}
