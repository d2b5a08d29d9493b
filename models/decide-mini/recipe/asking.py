"""What all made questions share: how two pieces of text are shown, how options are named, and the many ways to ask yes or no.

A small model learns the words of a question sooner than its meaning, so the same thing is asked under many names: a pair of texts may be
a request and a reply or a title and a page, and every statement may come as a question, a claim to judge, or its denial.
"""
import argparse
import json
import lzma
import random
from pathlib import Path

FIRST = ["Query", "Question", "Request", "Search", "Keywords", "Topic", "Subject", "Title", "Heading", "Need", "Problem", "Ticket", "Prompt", "Task", "User", "Customer", "Input", "Term"]
SECOND = ["Result", "Document", "Response", "Answer", "Body", "Passage", "Text", "Content", "Page", "Reply", "Follow-up", "Suggestion", "Comment", "Snippet", "Article", "Note", "Assistant", "Agent"]
EQUALS = [("Sentence 1", "Sentence 2"), ("First", "Second"), ("Text A", "Text B"), ("A", "B"), ("1", "2"), ("Left", "Right"), ("Original", "Version"), ("Sentence-1", "Sentence-2"),
          ("Premise", "Hypothesis"), ("Statement", "Other statement"), ("Source", "Copy"), ("Before", "After"), ("Text", "Claim"), ("Message", "Reply"), ("Old", "New")]
LAYOUTS = ["{}: {}\n{}: {}", "{}: {}\n{}: {}", "{}: {}\n{}: {}", "{} - {}\n{} - {}", "{}: {} {}: {}", "[{}] {}\n[{}] {}", "{} = \"{}\"\n{} = \"{}\"", "{}:\n{}\n\n{}:\n{}", "{}: {}, {}: {}"]
# ways to put a statement; where it is denied, yes and no change places
FRAMES = ["{S}.", "{S}.", "True or false: {s}.", "Decide whether {s}.", "Check if {s}.", "Is it right that {s}?", "Is it so that {s}?", "Claim: {s}.", "Judge: \"{S}.\"", "Would you say that {s}?"]
DENIALS = ["It is not true that {s}.", "Is it false that {s}?", "It is false that {s}.", "Is it wrong to say that {s}?", "It does not hold that {s}."]


# words that a statement may begin with and that no name begins with
OPENERS = {"The", "A", "An", "It", "Is", "Both", "They", "One", "Two", "This", "There", "Words"}


def lower_first(text):
    """For the middle of a sentence."""
    return text[:1].lower() + text[1:] if text.split(" ", 1)[0] in OPENERS else text


def framed(random_, statement):
    """One of many ways to say or ask a statement, and whether it is denied."""
    denied = random_.random() < 0.2
    plain = statement.rstrip(".")
    return random_.choice(DENIALS if denied else FRAMES).format(S=plain[:1].upper() + plain[1:], s=lower_first(plain)), denied


def keyed(random_, right, wrong):
    """Options in random order with the keys people give them, and the key of the right one."""
    texts = [right, *wrong]
    random_.shuffle(texts)
    if all(len(text) < 40 for text in texts) and random_.random() < 0.7:
        return {text: None for text in texts}, right
    names = random_.choice([lambda i: chr(65 + i), lambda i: f"option_{i + 1}", lambda i: str(i + 1)])
    return {names(i): text for i, text in enumerate(texts)}, names(texts.index(right))


def begun(text):
    return text[:1].upper() + text[1:]


def table(text):
    """Lines of fields between bars, each a list of what stands between semicolons."""
    return [[[entry.strip() for entry in field.split(";")] for field in line.split("|")] for line in text.strip().splitlines()]


def slots(texts):
    """What may stand in each slot, by its name."""
    return {name: text.split("; ") for name, text in texts.items()}


def write_made(maker, family, rows, seed):
    """The program of a maker that needs nothing but chance: so many rows, each form as often as it is worth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=rows)
    args = parser.parse_args()
    made = maker(random.Random(seed))
    write_rows(args.out, [made.row_of(family, form) for form in made.random.choices(list(made.forms), list(made.forms.values()), k=args.rows)])


def write_rows(path, rows):
    """A file of the rows that ask something."""
    with lzma.open(path, "wt", preset=0) as out:
        for row in rows:
            if row["questions"]:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


class Asking:
    """Makes questions with one source of chance."""

    def row_of(self, family, form, *given):
        """A row of the decision files by what makes its state and questions."""
        state, questions = form(*given)
        return {"source": f"{family}/{form.__name__}", "family": family, "state": state, "questions": [q for q in questions if q]}

    def __init__(self, random_):
        self.random = random_

    def choice(self, asked, right, wrong):
        wrong = [text for text in dict.fromkeys(wrong) if text and text != right]
        criteria, gold = keyed(self.random, right, wrong)
        return {"type": "choice", "instructions": self.random.choice(asked), "criteria": criteria, "gold": gold} if wrong else None

    def noul(self, asked, gold):
        """`asked` are questions, or statements, which are put in many ways."""
        text = self.random.choice(asked)
        if not text.endswith("?"):
            text, denied = framed(self.random, text)
            gold = gold != denied
        return {"type": "noul", "instructions": text, "gold": gold}

    def both(self, asked, denied, gold):
        """Two ways to ask the same, or one and its opposite: the answer must come from the texts and from what is asked."""
        found = [self.noul(asked, gold), self.noul(denied, not gold), self.noul(asked, gold)]
        self.random.shuffle(found)
        return [question for at, question in enumerate(found[:2]) if question not in found[:at]]

    def sided(self, table, gold):
        """A choice of two from a table of questions, each with the option for True and the one for False: a name, or a name with its meaning."""
        asked, *sides = self.random.choice(table)
        named = [side if isinstance(side, dict) else {side: None} for side in sides]
        options = list({**named[0], **named[1]}.items())
        self.random.shuffle(options)
        return {"type": "choice", "instructions": asked, "criteria": dict(options), "gold": next(iter(named[0 if gold else 1]))}

    def shown(self, text, fields, labels):
        """A message as it comes: mostly alone, now and then in a record or behind a label."""
        how = self.random.random()
        return text if how < 0.8 else {self.random.choice(fields): text} if how < 0.9 else f"{self.random.choice(labels)}: {text}"

    def equals(self):
        return self.random.choice(EQUALS)

    def looked_up(self):
        """What something short is called, and what is found with it."""
        return self.random.choice(FIRST), self.random.choice(SECOND)

    def two(self, labels, first, second):
        """Both pieces as one state, under their labels."""
        r, (one, other) = self.random, labels
        if r.random() < 0.15:
            return {one.lower().replace(" ", "_"): first, other.lower().replace(" ", "_"): second}
        if r.random() < 0.1:
            one, other, first, second = other, one, second, first
        return r.choice(LAYOUTS).format(one, first, other, second)
