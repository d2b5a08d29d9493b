"""Many wordings for a scene or an edit. What a caption leaves open is as it usually is: 3d on white."""
import ast
import re
from pathlib import Path

from nouns import article, plural
from scenes import COLOURS, FONTS, PLACES, STYLES

COUNTS = {2: ("two", "2", "a pair of"), 3: ("three", "3"), 4: ("four", "4"), 5: ("five", "5")}
STARTS = ("", "", "", "", "a picture of ", "an image of ", "draw ", "create ", "generate ", "please draw ", "an illustration of ",
          "a picture with ", "make a picture of ", "show ")


# The background of a picture of which none is said, and how often that and the first style are left out where they are so.
USUAL, UNSAID = "white", 0.6
# Stands for all words that no caption says, as the tokenizer has one token for them. Captions have some now and then, so that they change nothing.
STRANGE, STRANGE_SHARE, MOST_STRANGE = "\ufffd", 0.1, 4
# Names of fields and kinds in this file, which no caption says.
NOT_SAID = {"new", "old", "bigger", "said", "retype", "s", "z", "z0", "a0", "9", "n"}


def pick(rng, choices):
    return choices[rng.integers(len(choices))]


def coloured(item):
    """`red fox`; nothing is said of the usual colour."""
    return f"{item.colour} {item.name}".strip()


def noun(rng, item, style, size="", start=article):
    """`a big flat red fox`; no style when it is None."""
    name = f"{size} {coloured(item)}".strip()
    if style is None:
        return start(name)
    if rng.random() < 0.25:
        return start(name) + pick(rng, (f" in {style} style", f", {style} style", f" in {style}"))
    return start(f"{size} {style} {coloured(item)}".strip())


def at(rng, place):
    if place == "middle":
        return pick(rng, ("in the middle", "in the center", "in the centre"))
    if place in ("left", "right"):
        return pick(rng, (f"on the {place}", f"on the {place} side", f"at the {place}", f"to the {place}"))
    if place in ("top", "bottom"):
        return pick(rng, (f"at the {place}", f"at the {place}", "above" if place == "top" else "below"))
    row, column = place.split()
    return pick(rng, (f"in the {place} corner", f"in the {place}", f"at the {place}", f"in the {row}-{column} corner",
                      f"in the {'upper' if row == 'top' else 'lower'} {column} corner"))


def on_background(rng, colour, fade):
    if fade:
        return pick(rng, (f" on a gradient from {colour} to {fade}", f" on a {colour} to {fade} gradient",
                          f" on {colour} fading to {fade}")).replace("a orange", "an orange")
    return pick(rng, (
        f" on a {colour} background", f" on a {colour} background", f" on {colour}", f", {colour} background",
        f" with a {colour} background", f" in front of a {colour} background", f" against a {colour} background",
        f" on a {pick(rng, ('plain', 'solid'))} {colour} background",
    )).replace("a orange", "an orange")


def quoted(word):
    return f'"{word}"'


def say_word(rng, scene):
    """`"Hello" in red serif letters at the top`; the usual line, font and ink are mostly left out."""
    words = [word for word in (scene.ink, scene.font if scene.font == "serif" or rng.random() < 0.1 else "") if word]
    look = f" in {' '.join(words)} {pick(rng, ('letters', 'letters', 'text', 'type'))}" if words else ""
    line = f" {at(rng, scene.line)}" if not scene.items and not scene.below and (scene.line != "middle" or rng.random() < 0.1) else ""
    second = f"{pick(rng, (' and ', ' above ', ' over ', ' ', ', '))}{quoted(scene.below)}" if scene.below else ""
    return quoted(scene.word) + second + look + line


def with_strange_words(rng, caption):
    """Words that mean nothing somewhere in a caption, but not in what is to be written."""
    if '"' in caption or rng.random() > STRANGE_SHARE:
        return caption
    words = caption.split(" ")
    for _ in range(rng.integers(1, MOST_STRANGE + 1)):
        words.insert(rng.integers(len(words) + 1), STRANGE)
    return " ".join(words)


def groups_of(items):
    """Items that are alike and follow one another, together."""
    groups = []
    for item in items:
        if groups and (item.name, item.colour) == (groups[-1][0].name, groups[-1][0].colour):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def say_group(rng, group, style):
    """`two flat red foxes`, `a fox`"""
    first = group[0]
    if len(group) == 1:
        return noun(rng, first, style)
    many = f"{first.colour} {plural(first.name)}".strip()
    return f"{pick(rng, COUNTS[len(group)])} {many if style is None else f'{style} {many}'}"


def say_several(rng, groups, style):
    """Several kinds of things, `two foxes, a cat and a dog`; the style is said of the first."""
    *several, last = (say_group(rng, group, style if group is groups[0] else None) for group in groups)
    kind = rng.random()
    if kind < 0.15:
        return " and ".join([*several, last])
    if kind < 0.2:
        return " plus ".join([*several, last])
    between = ", " if kind < 0.35 else ", and " if kind < 0.5 else " with " if kind < 0.55 else " and "
    return f"{', '.join(several)}{between}{last}"


def say_things(rng, scene):
    items = scene.items
    if not items and not scene.word:
        return pick(rng, (f"a {STRANGE}", f"{STRANGE} {STRANGE}", f"a {pick(rng, STYLES)} {STRANGE}", f"{pick(rng, STARTS)}{STRANGE}", f"two {STRANGE}"))
    if not items:
        say = ("the word {}", "the word {}", "the text {}", "a sign that says {}", "{}", "a poster with the text {}", "{}", "a sign saying {}")
        return pick(rng, say).format(say_word(rng, scene))
    style = None if items[0].style == STYLES[0] and rng.random() < UNSAID else items[0].style
    first = items[0]
    if scene.word:
        say = (" with the word {}", " with the text {}", " and the word {}", " above the word {}", " and the text {}")
        return noun(rng, first, style) + pick(rng, say).format(say_word(rng, scene))
    if len(items) == 1:
        if first.place == "big":
            start = article if rng.random() < 0.8 else str
            return noun(rng, first, style, pick(rng, ("", "", "", "big", "large", "big", "large", "huge", "giant")), start)
        if first.place == "tiny middle":
            return noun(rng, first, style, pick(rng, ("tiny", "very small"))) + pick(rng, ("", "", " " + at(rng, "middle")))
        size = "small" if first.place == "middle" else pick(rng, ("", "small", "little"))
        if first.place == "middle" and rng.random() < 0.5:
            return noun(rng, first, style, size)
        return noun(rng, first, style, size) + " " + at(rng, first.place)
    groups = groups_of(items)
    if len(groups) == 1:
        return say_group(rng, items, style)
    if len(items) > 2:
        return say_several(rng, groups, style)
    one, two = (noun(rng, item, style) for item in items)
    upright = first.place == "top"
    say = [f"{one} {at(rng, items[0].place)} and {two} {at(rng, items[1].place)}"]
    if upright:
        say += [f"{one} above {two}", f"{two} below {one}", f"{one} on top of {two}", f"{two} under {one}", f"{one} over {two}",
                f"{two} {pick(rng, ('beneath', 'underneath'))} {one}"]
    else:
        say += [f"{one} and {two}", f"{one} and {two}", f"{one} next to {two}", f"{one} left of {two}", f"{two} right of {one}",
                f"{one} to the left of {two}", f"{two} to the right of {one}", f"{one} beside {two}", f"{one} with {two}",
                f"{one} {pick(rng, ('near', 'plus'))} {two}"]
    return pick(rng, say)


def say_scene(rng, scene):
    usual = scene.background == USUAL and not scene.fade
    background = "" if usual and rng.random() < UNSAID else on_background(rng, scene.background, scene.fade)
    # words and many objects take many tokens, so their captions start at once
    start = "" if scene.word or len(scene.items) > 3 else pick(rng, STARTS)
    return with_strange_words(rng, start + say_things(rng, scene) + background + pick(rng, ("", "", "", ".")))


EDITS = {
    "background": ("change the background to {colour}", "make the background {colour}", "{colour} background", "turn the background {colour}",
                   "use a {colour} background", "put it on a {colour} background", "set the background color to {colour}",
                   "change the background color to {colour}"),
    "replace": ("replace the {old} with {a_new}", "replace the {old} by {a_new}", "change the {old} to {a_new}",
                "turn the {old} into {a_new}", "swap the {old} for {a_new}", "{a_new} instead of the {old}", "make the {old} {a_new}"),
    "add": ("add {a_new} {at}", "add {a_new}", "put {a_new} {at}", "draw {a_new} {at}", "also draw {a_new}", "place {a_new} {at}"),
    "beside": ("add {a_new}", "also draw {a_new}", "add {a_new} {at}", "add {a_new} next to the {old}", "put {a_new} beside the {old}",
               "place {a_new} {side} of the {old}", "add {a_new} to the picture", "draw {a_new} {side} of the {old}", "add {a_new} {side} of it"),
    "remove": ("remove the {old}", "delete the {old}", "take the {old} away", "erase the {old}", "get rid of the {old}", "no {old}"),
    "move": ("move the {old} to the {place}", "put the {old} {at}", "shift the {old} to the {place}", "move the {old} {at}"),
    "mirror": ("mirror the picture", "mirror the image", "flip it horizontally", "mirror it", "flip the image", "flip the picture horizontally"),
    "grayscale": ("make it black and white", "make it grayscale", "turn it to grayscale", "remove the color", "black and white",
                  "convert to grayscale", "make the picture black and white"),
    "style": ("make the {old} {style}", "turn the {old} into {style} style", "change the style of the {old} to {style}",
              "the {old} in {style} style", "redraw the {old} in {style} style"),
    "recolor": ("make the text {colour}", "change the color of the text to {colour}", "make the word {colour}", "turn the letters {colour}",
                "write it in {colour}", "color the text {colour}", "{colour} letters"),
    "paint": ("make the {old} {colour}", "paint the {old} {colour}", "turn the {old} {colour}", "change the color of the {old} to {colour}",
              "color the {old} {colour}", "the {old} should be {colour}", "{a_new} instead",
              "recolor the {old} to {colour}"),
    "retype": ("change the text to {quoted}", "change the word to {quoted}", "replace the text with {quoted}", "make it say {quoted}",
               "it should say {quoted}", "write {quoted} instead",
               "change {said} to {quoted}", "replace {said} with {quoted}", "change {said} into {quoted}", "replace {said} by {quoted}"),
    "border": ("add a {colour} border", "add a {colour} frame", "put a {colour} border around it", "draw a {colour} frame around the picture"),
}


COMBINATIONS = (
    "combine the two pictures", "combine both images", "put both in one picture", "put the two side by side",
    "put the {second} of the second picture next to the {first}", "add the {second} from the second image", "the {first} next to the {second}",
    "place the {second} from image 2 to the right of the {first}", "{a_first} on the left and {a_second} on the right",
    "put the {first} and the {second} in one picture",
)


def say_combination(rng, facts):
    articles = {f"a_{name}": article(said) for name, said in facts.items()}
    return pick(rng, COMBINATIONS).format(**facts, **articles) + pick(rng, ("", "", "", "."))


def say_edit(rng, kind, facts):
    words = dict(facts)
    if "new" in facts:
        words["a_new"] = article(facts["new"])
    if "word" in facts:
        words["quoted"] = quoted(facts["word"])
    if "said" in facts:
        words["said"] = quoted(facts["said"])
    if "place" in facts:
        words["at"] = at(rng, facts["place"])
        words["side"] = f"to the {facts['place']}"
    # Beside a thing is on the right of it, where nothing else is said.
    wordings = [said for said in EDITS[kind] if kind != "beside" or facts["place"] == "right" or "{at}" in said or "{side}" in said]
    text = pick(rng, wordings).format(**words).replace("a orange", "an orange")
    return with_strange_words(rng, pick(rng, ("", "", "", "", "please ")) + text + pick(rng, ("", "", "", ".")))


def words_said(edits=True):
    """All words of captions but names of objects, which the tokenizer replaces; those in NOT_SAID are among them, as the tokenizer has them. Without `edits` those of scenes."""
    tree = ast.parse(Path(__file__).read_text())
    tree.body = [node for node in tree.body if edits or not ast.unparse(node).startswith(("EDITS =", "COMBINATIONS ="))]
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef)) and node.body]
    docstrings = {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}
    texts = [node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings]
    said = {word for text in texts for word in re.findall(r"[a-z0-9]+", re.sub(r"\{[^}]*\}", " ", text))}
    return said | {*" ".join(PLACES).split(), *COLOURS, *STYLES, *FONTS, "color", "colour"}
