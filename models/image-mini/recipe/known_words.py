"""What the bundle says about its words: those that captions say, those of edits alone, those drawn as another, what can be drawn, and the objects that take no other colour."""
import json
import re
from pathlib import Path

from captions import COUNTS, NOT_SAID, words_said
from make_tokenizer import SYNONYMS
from nouns import forms, plural
from scenes import COLOURABLE, COLOURS, OBJECTS, STYLES

SIZES = ["big", "giant", "huge", "large", "little", "small", "tiny"]


def own_colors():
    keep = sorted({form for name in OBJECTS if name not in COLOURABLE for form in forms(name, SYNONYMS.get(name, [])) if " " not in form})
    return {"objects": keep, "colors": sorted(COLOURS), "adjectives": sorted([*STYLES, *SIZES])}


def counts():
    """How many things a picture has at most, and how captions say a number."""
    numbers = {word.split()[-2] if " of" in word else word: number for number, words in COUNTS.items() for word in words}
    return {"most": max(COUNTS), "numbers": numbers, "between": sorted([*STYLES, *SIZES, *COLOURS, "of"])}


def known_words():
    """Names of several words, and such synonyms, are known by each of their words."""
    named = {word for name in OBJECTS for form in forms(name, []) for word in form.split()}
    long = {word for words in SYNONYMS.values() for synonym in words if not synonym.isalpha() for form in forms(synonym, [])
            for word in re.findall("[a-z0-9]+", form)}
    return sorted(words_said() - NOT_SAID | named | long)


def edit_words():
    """Words that only captions of edits say: `no` and `one` mean nothing, or something else, where a scene is asked for."""
    return sorted(words_said() - words_said(edits=False) - NOT_SAID - set(objects()))


def objects():
    """All that objects are called, hyphens as spaces. What is a colour too is read as one."""
    return sorted({form.replace("-", " ") for name in OBJECTS for form in forms(name, SYNONYMS.get(name, []))} - set(COLOURS))


def synonyms():
    """Words that are drawn as an object whose name they are not, one and several, by the name."""
    known = set(known_words())
    return {form: stands for name, words in SYNONYMS.items() for word in words if word.isalpha()
            for form, stands in ((word, name), (plural(word), plural(name))) if form not in known}


if __name__ == "__main__":
    file = Path(__file__).parent.parent / "tessera.json"
    manifest = {**json.loads(file.read_text()), "known_words": known_words(), "edit_words": edit_words(), "objects": objects(), "own_colors": own_colors(), "counts": counts(), "synonyms": synonyms()}
    file.write_text(json.dumps(manifest, indent=2) + "\n")
