"""How a row becomes text, in the run-time layout ("branch-1"). The TypeScript twin is src/decide/render-branch.ts.

    state     <state> text
    question  <noul|choice|score> instructions            sees the state and itself
    option    <option> text </option>                     sees the state, its question's instructions and itself
    decide    <decide>                                    sees the state and its whole question

Every question restarts at the position after the state and every option at the position after its instructions, so neither
the other questions nor the order of options can change an answer. The decide token stands after the longest option.
"""
import json


def as_text(value):
    """A string as it is, None as nothing, anything else as compact JSON (what JSON.stringify gives)."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def labelled(label, meaning):
    text = as_text(meaning)
    return label if text in ("", label) else f"{label}: {text}"


def option_texts(question):
    """The option texts in order: yes/no for noul, key and meaning for choice, `i/last: level` for score."""
    kind, criteria = question["type"], question.get("criteria")
    if kind == "noul":
        criteria = criteria or {}
        return [labelled("yes", criteria.get("true")), labelled("no", criteria.get("false"))]
    if kind == "choice":
        return [labelled(key, meaning) for key, meaning in criteria.items()]
    last = len(criteria) - 1
    return [f"{index}/{last}: {as_text(level)}" for index, level in enumerate(criteria)]


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
