"""How a row becomes text in the layout `tree-1` (LAYOUT.md). The TypeScript side renders the same strings.

Text stays as it is. Objects and lists become `name: value; name: value` and `value | value`, nested ones in brackets: a WordPiece
vocabulary would spend four tokens on the quotes of every field otherwise. Names (`orderId`, `card_arrival`) become words.
"""
import json
import re

# The first word of every branch says what kind of answer is wanted.
WORDS = {"noul": "judge", "choice": "choose", "score": "rate"}
KINDS = {"noul": 0, "choice": 1, "score": 2}
HUMP = re.compile(r"([a-z])([A-Z][a-z])")


def name_text(name):
    """A field's name or an option's key as words: underscores become spaces, and so do the humps of a name without spaces."""
    if not re.search(r"\s", name):
        name = HUMP.sub(r"\1 \2", name)
    words = " ".join(part for part in re.split(r"[_\s]+", name) if part)
    return words or name


def number_text(value):
    """A number as JavaScript prints it, for the numbers that occur in data."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else json.dumps(value)


def as_text(value, nested=False):
    """The text of a state, an instruction or a meaning."""
    if value is None:
        return "null" if nested else ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        text = "; ".join(f"{name_text(name)}: {as_text(item, True)}" for name, item in value.items())
    elif isinstance(value, list):
        text = " | ".join(as_text(item, True) for item in value)
    else:
        return number_text(value)
    return f"({text})" if nested else text


def labelled(label, meaning):
    """`label: meaning`, or the label alone where the meaning says nothing more."""
    text = as_text(meaning)
    return label if text in ("", label) else f"{label}: {text}"


def branch_text(question):
    """The kind's word and the instructions."""
    return f"{WORDS[question['type']]} {as_text(question.get('instructions'))}"


def option_texts(question):
    """The texts of the leaves in order: yes and no for noul, key and meaning for choice, the levels for score."""
    kind, criteria = question["type"], question.get("criteria")
    if kind == "noul":
        criteria = criteria or {}
        return [labelled("yes", criteria.get("true")), labelled("no", criteria.get("false"))]
    if kind == "choice":
        return [labelled(name_text(key), meaning) for key, meaning in criteria.items()]
    return [as_text(level) for level in criteria]


def level_ids(question, steps=16):
    """The row of the level table that each leaf's end takes: 0 for none, else 1 (lowest) to `steps` + 1 (highest)."""
    count = len(option_texts(question))
    if question["type"] != "score":
        return [0] * count
    return [1 + int(steps * index / max(1, count - 1) + 0.5) for index in range(count)]


def target(question):
    """The gold distribution over `option_texts`: annotators' votes where known, else one-hot."""
    kind, gold, soft = question["type"], question["gold"], question.get("soft")
    if kind == "noul":
        keys, gold = ["true", "false"], "true" if gold else "false"
    elif kind == "choice":
        keys = list(question["criteria"])
    else:
        keys, gold = [str(i) for i in range(len(question["criteria"]))], str(gold)
    if soft:
        total = sum(soft.values())
        return [soft.get(key, 0.0) / total for key in keys]
    return [1.0 if key == gold else 0.0 for key in keys]
