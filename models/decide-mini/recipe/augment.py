"""Shows a labelled row in other wordings: labels renamed, described or opaque, options left out, questions turned round or asked as another type."""
import re

from asking import DENIALS, lower_first
from rendering import as_text, name_text

STATEMENT = re.compile(r"(?!Decide|Check|Judge|Please|True or|Yes or|It is not|Is |Claim)[A-Z][^.?!]*\.", re.S)
WORDS = re.compile("[A-Za-z]{3}")
NONE = ["none of these", "none of the above", "something else", "other", "no option fits", "none"]
IS_IT = ['{i} The answer is "{a}".', '{i} Is it "{a}"?', '{i} Is "{a}" right?', 'The answer to "{i}" is {a}.', '"{a}" is the answer to: {i}', "{i} - {a}?", 'Would you answer "{a}" to this: {i}']
WRAPPERS = ["text", "message", "body", "content", "input"]
TRUE = [("true", "false"), ("yes", "no"), ("correct", "incorrect"), ("right", "wrong"), ("agree", "disagree"), ("it holds", "it does not hold"), ("True", "False"), ("accurate", "inaccurate")]


def deny(question, random_):
    """A statement denied, with yes and no changed over. Questions, and statements put as a task, stay."""
    text = question["instructions"]
    if not isinstance(text, str) or not STATEMENT.fullmatch(text):
        return
    question["instructions"] = random_.choice(DENIALS).format(s=lower_first(text.rstrip(".")))
    question["gold"] = not question["gold"]
    if question.get("soft"):
        question["soft"] = {"true": question["soft"].get("false", 0), "false": question["soft"].get("true", 0)}


def renamed(question, names):
    """The same choice under other keys; `names` [options] are unique."""
    keys = list(question["criteria"])
    to = dict(zip(keys, names))
    if question.get("soft"):
        question["soft"] = {to[key]: mass for key, mass in question["soft"].items() if key in to}
    question["gold"] = to[question["gold"]]
    return to


def opaque(question, random_):
    """Letters or numbers as keys, the meaning (with the key where it says more) beside them."""
    old, count = question["criteria"], len(question["criteria"])
    names = random_.choice([[chr(65 + i) for i in range(count)], [f"option_{i + 1}" for i in range(count)], [str(i + 1) for i in range(count)]])
    to = renamed(question, names)
    question["criteria"] = {to[key]: as_text(meaning) if WORDS.search(as_text(meaning)) else f"{name_text(key)} {as_text(meaning)}".strip() for key, meaning in old.items()}


def restyled(question, random_):
    """Other spellings of the keys: words, capitals, underscores."""
    style = random_.choice([str.lower, str.upper, str.capitalize, str.title, lambda key: key.replace(" ", "_"), lambda key: key.replace("_", " ")])
    names = [style(key) for key in question["criteria"]]
    if len(set(names)) == len(names):
        old, to = question["criteria"], renamed(question, names)
        question["criteria"] = {to[key]: meaning for key, meaning in old.items()}


def described(question):
    """The meanings take the place of the keys."""
    old = question["criteria"]
    names = [as_text(meaning) for meaning in old.values()]
    if all(WORDS.search(name) for name in names) and len(set(names)) == len(names):
        renamed(question, names)
        question["criteria"] = {name: None for name in names}


def fewer(question, random_, most):
    """Some of the wrong options left out; the right one stays."""
    keys = list(question["criteria"])
    soft = question.get("soft")
    wrong = [key for key in keys if key != question["gold"] and not (soft and soft.get(key))]
    kept = set(random_.sample(wrong, min(len(wrong), random_.randint(1, max(1, most - 1)))))
    question["criteria"] = {key: meaning for key, meaning in question["criteria"].items() if key not in wrong or key in kept}


def none_of(question, random_):
    """An option that none fits, which is right where the right one is left out."""
    name = random_.choice(NONE)
    if name in question["criteria"] or question.get("soft"):
        return
    if len(question["criteria"]) > 2 and random_.random() < 0.5:
        del question["criteria"][question["gold"]]
        question["gold"] = name
    question["criteria"][name] = None


def as_noul(question, random_):
    """Whether one of the options is the answer."""
    keys = [key for key in question["criteria"] if key != question["gold"]]
    gold = random_.random() < 0.5 or not keys
    key = question["gold"] if gold else random_.choice(keys)
    meaning = as_text(question["criteria"][key])
    answer = meaning if meaning and (not WORDS.search(key) or random_.random() < 0.5) else name_text(key)
    asked = as_text(question["instructions"])
    return {"type": "noul", "instructions": random_.choice(IS_IT).format(i=asked, a=answer), "gold": gold}


def as_choice(question, random_):
    """A yes/no question with its answers as options."""
    yes, no = random_.choice(TRUE)
    criteria = question.get("criteria") or {}
    return {"type": "choice", "instructions": question["instructions"], "criteria": {yes: criteria.get("true"), no: criteria.get("false")}, "gold": yes if question["gold"] else no}


def of_choice(question, random_):
    criteria = question["criteria"]
    if random_.random() < 0.1 and not question.get("soft") and len(as_text(question["instructions"])) < 300:
        return as_noul(question, random_)
    if len(criteria) > 12 or (len(criteria) > 3 and random_.random() < 0.35):
        fewer(question, random_, 10 if len(criteria) > 12 and random_.random() < 0.8 else len(criteria))
    if random_.random() < 0.06:
        none_of(question, random_)
    way, full = random_.random(), all(as_text(meaning) for meaning in question["criteria"].values())
    if way < 0.12:
        if full or all(WORDS.search(key) for key in question["criteria"]):
            opaque(question, random_)
    elif way < 0.22 and all(WORDS.search(key) for key in question["criteria"]):
        question["criteria"] = {key: None for key in question["criteria"]}
    elif way < 0.32:
        described(question)
    elif way < 0.42:
        restyled(question, random_)
    return question


def of_score(question, random_):
    levels = question["criteria"]
    wordy = all(WORDS.search(as_text(level)) and not re.search(r"\d", as_text(level)) for level in levels)
    if wordy and random_.random() < 0.12:
        question["criteria"], last = levels[::-1], len(levels) - 1
        question["gold"] = last - question["gold"]
        if question.get("soft"):
            question["soft"] = {str(last - int(key)): mass for key, mass in question["soft"].items()}
    elif wordy and random_.random() < 0.1 and not question.get("soft") and len({as_text(level) for level in levels}) == len(levels):
        names = [as_text(level) for level in levels]
        return {"type": "choice", "instructions": question["instructions"], "criteria": {name: None for name in names}, "gold": names[question["gold"]]}
    return question


def of_noul(question, random_):
    if question.get("criteria") and random_.random() < 0.4:
        question["criteria"] = None
    if not question.get("criteria") and random_.random() < 0.25:
        deny(question, random_)
    if random_.random() < 0.06 and not question.get("soft"):
        return as_choice(question, random_)
    return question


def augment(row, random_):
    """The row in another wording; changes it."""
    if isinstance(row["state"], str) and random_.random() < 0.06:
        row["state"] = {random_.choice(WRAPPERS): row["state"]}
    ways = {"noul": of_noul, "choice": of_choice, "score": of_score}
    row["questions"] = [ways[question["type"]](question, random_) for question in row["questions"]]
    return row
