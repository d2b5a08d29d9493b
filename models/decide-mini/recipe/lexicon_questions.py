"""Makes questions from WordNet: what words mean, what kind of thing they name, and how two words are related.

Labels and running text say little about rare words, and a model of this size cannot read enough to learn them; a dictionary says it in one
line. Needs WordNet's database files (Debian package `wordnet-base`). Rows have the form of the decision files.
"""
import argparse
import random
import re
from collections import defaultdict
from pathlib import Path

from asking import Asking, write_rows

CATEGORIES = {
    4: "an action or activity", 5: "an animal", 6: "a thing that people made", 7: "a property or quality", 8: "a part of the body", 9: "a thought or idea", 10: "something said or written",
    11: "an event", 12: "a feeling", 13: "food or drink", 14: "a group", 15: "a place", 16: "a goal or motive", 17: "a natural object", 18: "a person", 19: "something in nature that happens",
    20: "a plant", 21: "something owned or paid", 22: "a process", 23: "an amount or measure", 25: "a shape", 26: "a state or condition", 27: "a substance", 28: "a time",
    29: "care of the body or clothes", 30: "change", 31: "thinking", 32: "talking or writing", 33: "competing or fighting", 34: "eating or drinking", 35: "touching or striking",
    36: "making", 37: "feeling", 38: "moving", 39: "seeing or hearing", 40: "giving or owning", 41: "social life or politics", 43: "weather",
}
POINTERS = {"@": "kinds", "@i": "kinds", "%p": "parts", "%s": "parts", "!": "opposites"}
# how two words can be related, and how that is said
RELATIONS = {
    "same": ["Both mean the same", "{b} is another word for {a}"], "opposite": ["They say the opposite of each other", "{b} is the opposite of {a}"],
    "kind": ["Every {a} is a {b}", "{a} is a kind of {b}"], "part": ["{a} has a {b}", "{b} is a piece of {a}"],
    "fellow": ["Both are of one kind", "{a} and {b} are of the same kind"], "none": ["They have nothing to do with each other", "{b} is far from {a}"],
}


class Sense:
    def __init__(self, line):
        head, gloss = line.split(" | ", 1)
        fields = head.split(" ")
        self.category, count = int(fields[1]), int(fields[3], 16)
        self.words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
        self.pointers = defaultdict(list)
        at = 4 + 2 * count
        for place in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
            symbol, offset, pos, ends = fields[place : place + 4]
            # an opposite belongs to one word of the sense; only the first word's is used
            if symbol in POINTERS and ends[:2] in ("00", "01"):
                self.pointers[POINTERS[symbol]].append((pos.replace("s", "a"), int(offset), max(0, int(ends[2:], 16) - 1)))
        parts = re.split(r';\s*(?=")|(?<=")\s*;', gloss.strip())
        self.meaning = re.sub(r"^\([^)]*\)\s*", "", parts[0].split(";")[0].strip())
        self.examples = [text for part in parts[1:] if len((text := part.strip(' "')).split()) > 3]


class Lexicon:
    """Senses by place in their file, and of each common word the commonest sense."""

    def __init__(self, folder):
        self.senses, self.common = {}, []
        for pos, name in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
            for line in (folder / f"data.{name}").read_text().splitlines():
                if not line.startswith("  "):
                    self.senses[pos, int(line[:8])] = Sense(line)
            for line in (folder / f"index.{name}").read_text().splitlines():
                fields = line.split()
                # words that were met in the texts WordNet's makers read
                if not line.startswith("  ") and int(fields[-int(fields[2]) - 1]) > 0:
                    key, word = (pos, int(fields[-int(fields[2])])), fields[0].replace("_", " ")
                    if re.fullmatch(r"[a-z -]{3,}", word) and self.senses[key].words[0].lower() == word:
                        self.common.append(key)
        self.of = {pos: [key for key in self.common if key[0] == pos] for pos in "nvar"}

    def related(self, key, relation):
        """Words that stand in a relation to a sense's first word."""
        return [self.senses[pos, offset].words[word] for pos, offset, word in self.senses[key].pointers[relation]]

    def kinds(self, key):
        """All senses that a sense is a kind of, itself first."""
        found = [key]
        for at in found:
            found.extend((pos, offset) for pos, offset, _ in self.senses[at].pointers["kinds"] if (pos, offset) not in found)
        return found


class Maker(Asking):
    def __init__(self, lexicon, random_):
        super().__init__(random_)
        self.lexicon = lexicon
        self.fellows = defaultdict(list)
        for key in lexicon.common:
            for pos, offset, _ in lexicon.senses[key].pointers["kinds"]:
                self.fellows[pos, offset].append(key)
        senses = lexicon.senses
        # the senses that each form of question can be asked of, and how often it is
        self.forms = {
            self.meaning: (4, lexicon.common), self.relation: (3, lexicon.common),
            self.category: (2, [key for key in lexicon.common if senses[key].category in CATEGORIES]),
            self.kind: (2, [key for key in lexicon.of["n"] if senses[key].pointers["kinds"]]),
            self.swapped: (2, [key for key in lexicon.common if any(re.search(rf"\b{re.escape(senses[key].words[0])}\b", text) for text in senses[key].examples)]),
        }

    def others(self, key, count):
        """Senses to tell it from: of the same part of speech, some of the same kind."""
        r, lexicon = self.random, self.lexicon
        near = [k for kind in lexicon.senses[key].pointers["kinds"] for k in self.fellows[kind[:2]] if k != key]
        found = [r.choice(near) if near and r.random() < 0.25 else r.choice(lexicon.of[key[0]]) for _ in range(count)]
        return [lexicon.senses[k] for k in found if k != key]

    def meaning(self, key):
        """The meaning of a word, the word for a meaning, or whether the two go together."""
        r, sense = self.random, self.lexicon.senses[key]
        word, others = sense.words[0], self.others(key, r.choice([1, 2, 3, 5]))
        if not others:
            return word, []
        form = r.random()
        if form < 0.3:
            shown = r.choice(sense.examples) if sense.examples and r.random() < 0.3 else word
            return shown, [self.choice([f"What does \"{word}\" mean?", f"Choose the meaning of {word}.", f"{word}: which description fits?"], sense.meaning, [s.meaning for s in others])]
        if form < 0.55:
            return sense.meaning, [self.choice(["Which word is meant?", "Choose the word for this.", "What is described?", "Which word fits the description?"], word, [s.words[0] for s in others])]
        gold = r.random() < 0.5
        one, other = labels = r.choice([("Word", "Meaning"), ("Term", "Definition"), ("Name", "Description"), self.looked_up()])
        one, other = one.lower(), other.lower()
        return self.two(labels, word, sense.meaning if gold else others[0].meaning), self.both(
            [f"The {other} fits the {one}", f"Does the {other} describe the {one}?", f"The {other} is right", f"Is it what the {one} means?"],
            [f"The {other} is wrong", f"The {other} describes something else", f"Does the {other} belong to another {one}?"], gold)

    def category(self, key):
        """What sort of thing a word names, as one of many or as yes or no."""
        r, sense = self.random, self.lexicon.senses[key]
        shown = r.choice([sense.words[0], sense.meaning, f"{sense.words[0]}: {sense.meaning}", *sense.examples[:1]])
        about = "this" if shown == sense.words[0] else f"\"{sense.words[0]}\""
        same = [name for number, name in CATEGORIES.items() if (number < 29) == (sense.category < 29) and number != sense.category]
        right, wrong = CATEGORIES[sense.category], r.sample(same, r.choice([1, 2, 4, 8]))
        gold = r.random() < 0.5
        named = right if gold else wrong[0]
        ask = r.sample([self.choice([f"What is {about}?", f"What sort of thing is {about}?", f"Which kind does {about} belong to?"], right, wrong),
                        self.noul([f"Is {about} {named}?", f"{about} is {named}", f"{about} names {named}"], gold)], 2)
        return shown, ask[: r.choice([1, 2])]

    def kind(self, key):
        """Is it a kind of something more general?"""
        r, lexicon = self.random, self.lexicon
        word, kinds = lexicon.senses[key].words[0], lexicon.kinds(key)
        usable = kinds[1:-2] or kinds[1:]
        foreign = lexicon.senses[key].pointers["kinds"][0][:2]
        while foreign in kinds:
            foreign = r.choice(lexicon.kinds(r.choice(lexicon.of["n"]))[1:] or kinds)
        gold = r.random() < 0.5
        named = lexicon.senses[r.choice(usable) if gold else foreign].words[0]
        return word, self.both([f"Is it a kind of {named}?", f"It is a kind of {named}", f"{word} is {named}", f"Does it count as {named}?"],
                               [f"It is no {named}", f"Is it something else than {named}?", f"{word} does not belong to {named}"], gold)

    def relation(self, key):
        """How two words are related."""
        r, lexicon = self.random, self.lexicon
        sense = lexicon.senses[key]
        word = sense.words[0]
        kin = {name: [w for w in words if w.lower() != word] for name, words in {
            "same": sense.words[1:], "opposite": lexicon.related(key, "opposites"), "kind": lexicon.related(key, "kinds"), "part": lexicon.related(key, "parts"),
            "fellow": [lexicon.senses[k].words[0] for kind in sense.pointers["kinds"] for k in self.fellows[kind[:2]] if k != key],
            "none": [lexicon.senses[r.choice(lexicon.common)].words[0]]}.items()}
        there = [name for name, words in kin.items() if words]
        if not there:
            return word, []
        # the rarer relations as often as the common ones
        name = r.choices(there, [3 if n in ("opposite", "part") else 1 for n in there])[0]
        second = r.choice(kin[name])
        one, other = labels = r.choice([("Word 1", "Word 2"), ("First word", "Second word"), ("A", "B"), ("Term", "Other term"), ("Word", "Compared with")])
        state = self.two(labels, word, second) if r.random() < 0.6 else r.choice(["{} / {}", "{}, {}", "{} and {}", "{} - {}"]).format(word, second)
        told = lambda n: r.choice(RELATIONS[n]).format(a=word, b=second)
        if r.random() < 0.5:
            wrong = r.sample([n for n in RELATIONS if n != name], r.choice([1, 2, 3, 5]))
            return state, [self.choice(["How are the two words related?", "Which relation holds between the words?", "What do the two have to do with each other?"], told(name), [told(n) for n in wrong])]
        gold = r.random() < 0.5
        return state, [self.noul([told(name if gold else r.choice([n for n in RELATIONS if n != name]))], gold)]

    def swapped(self, key):
        """A sentence and its copy with a word replaced: by one that means the same, its opposite, or another of its kind."""
        r, sense = self.random, self.lexicon.senses[key]
        word = sense.words[0]
        places = [(text, match) for text in sense.examples if (match := re.search(rf"\b{re.escape(word)}\b", text))]
        alike, opposite = sense.words[1:], self.lexicon.related(key, "opposites")
        text, match = r.choice(places)
        if alike and r.random() < 0.5:
            new, gold = r.choice(alike), True
        else:
            new, gold = r.choice(opposite) if opposite and r.random() < 0.5 else self.lexicon.senses[r.choice(self.lexicon.of[key[0]])].words[0], False
        if new in sense.words and not gold:
            return word, []
        labels = self.equals()
        return self.two(labels, text, text[: match.start()] + new + text[match.end() :]), self.both(
            ["Do both mean the same?", "Both have the same meaning", f"Does {labels[1]} mean what {labels[0]} means?", f"{labels[1]} is another way to say {labels[0]}"],
            ["Do the two differ in meaning?", "They mean different things", f"{labels[1]} says something else than {labels[0]}"], gold)

    def row(self):
        form = self.random.choices(list(self.forms), [weight for weight, _ in self.forms.values()])[0]
        return self.row_of("lexicon", form, self.random.choice(self.forms[form][1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=400_000)
    args = parser.parse_args()
    maker = Maker(Lexicon(args.wordnet), random.Random(0))
    write_rows(args.out, (maker.row() for _ in range(args.rows)))


if __name__ == "__main__":
    main()
