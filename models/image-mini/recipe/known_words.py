"""The words that captions are made of. What a prompt says beside them means nothing to the model, so the bundle lists them. No caption gives
an object a colour, so it also lists what it calls objects and colours, and what stands between them."""
import ast
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
# Names of fields in captions.py, which no caption says.
NOT_SAID = {"new", "recolor"}


def said_in(source):
    """Words of all texts of a program but its docstrings, without what is filled in."""
    tree = ast.parse(source)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef)) and node.body]
    docstrings = {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}
    texts = [node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings]
    return {word for text in texts for word in re.findall(r"[a-z0-9]+", re.sub(r"\{[^}]*\}", " ", text))}


SIZES = ["big", "large", "little", "small"]


def objects_and_plurals():
    from nouns import plural
    from tasks import NAMES
    return [*NAMES, *map(plural, NAMES)]


def own_colors():
    from scenes import COLOURS, STYLES
    return {"objects": sorted({*objects_and_plurals(), *synonyms()}), "colors": sorted(COLOURS), "adjectives": sorted([*STYLES, *SIZES])}


def known_words():
    from scenes import COLOURS, FONTS, PLACES, STYLES
    places = " ".join(PLACES).split()
    said = said_in((HERE / "captions.py").read_text()) - NOT_SAID
    return sorted(said | {*objects_and_plurals(), *places, *COLOURS, *STYLES, *FONTS})


def synonyms():
    """Words that are drawn as an object whose name they are not, one and several, by the name."""
    from nouns import plural
    from tasks import NAMES
    rows = json.loads((HERE / "synonyms.json").read_text())
    return {form: stands for name, words in rows.items() if name in NAMES for word in words for form, stands in ((word, name), (plural(word), plural(name)))}


if __name__ == "__main__":
    file = HERE.parent / "tessera.json"
    manifest = {**json.loads(file.read_text()), "known_words": known_words(), "own_colors": own_colors(), "synonyms": synonyms()}
    file.write_text(json.dumps(manifest, indent=2) + "\n")
