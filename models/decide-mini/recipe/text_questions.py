"""Makes questions from plain text that answer themselves: what comes next, what is missing, do two pieces belong together, is this whole.

They stand in for language-model pretraining: every row costs one short pass and teaches to compare pieces of a text with each other and
with options, on subjects that labelled data does not touch. Rows have the form of the decision files (README of the data).
"""
import random
import re

from asking import Asking, write_rows
from damage import DAMAGE, is_praise
from plain_texts import WORD, Texts, text_arguments, text_files

NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
NUMBER = re.compile(r"\b\d{1,8}\b")
VERB = re.compile(r"\b(is|are|was|were|has|had|can|could|will|would|may|should)\b(?! not)")
# how people say what they look for, and how somebody who helps takes it up
WANTED = ["{}", "{}", "I want to know about {}.", "information on {}", "Tell me about {}", "what is {}", "I'm looking for {}", "how does {} work", "help with {}", "Who knows {}?", "best {}", "Find {} for me"]
OFFERED = ["Would you like to know more about {}?", "Do you mean {}?", "I can tell you about {}.", "are you interested in {}", "More on {}: see below.", "{} - overview", "We also have {}."]

# how often each form of question is asked
COMPARING = {"pair": 3, "same": 4, "about": 4, "overlap": 1}
READING = {"passage": 4, "missing": 2, "damaged": 2}


class Maker(Asking):
    def __init__(self, texts, random_):
        super().__init__(random_)
        self.texts = texts

    def other(self):
        return self.random.randrange(len(self.texts.documents))

    def sentence(self, document=None):
        return self.random.choice(self.texts.documents[self.other() if document is None else document])

    def short(self, document=None):
        """The shortest of three sentences: as much to learn from comparing it, in fewer tokens."""
        return min((self.sentence(document) for _ in range(3)), key=len)

    def passage(self, number):
        """Several questions about a piece of text: title, next sentence, names in it, what its subject is."""
        r, document = self.random, self.texts.documents[number]
        at = r.randrange(len(document) - 2)
        size = r.choice([1, 1, 2])
        state, questions = " ".join(document[at : at + size]), []
        if r.random() < 0.8:
            wrong = [self.sentence(number if r.random() < 0.3 else None) for _ in range(r.choice([1, 2, 3, 3]))]
            wrong = [text for text in wrong if text not in document[at : at + size]]
            questions.append(self.choice(["Which sentence comes next?", "What follows?", "Choose the continuation.", "How does it go on?"], document[at + size], wrong))
        if self.texts.titles[number]:
            titles = [self.texts.titles[self.other()] for _ in range(r.choice([2, 3, 4, 6]))]
            questions.append(self.choice(["What is this about?", "Choose the title.", "Which subject does the text belong to?", "Topic?"], self.texts.titles[number], titles))
        if at and self.texts.kinds[number]:
            kinds = [self.texts.kinds[self.other()] for _ in range(8)][: r.choice([2, 4, 8])]
            asked = f"What is {self.texts.titles[number]}?" if self.texts.titles[number] and r.random() < 0.4 else "What kind of thing is described?"
            questions.append(self.choice([asked], self.texts.kinds[number], [kind for kind in kinds if kind]))
        for _ in range(2):
            inside = r.random() < 0.5
            source = state if inside else self.sentence(number if r.random() < 0.5 else None)
            found = NAME.findall(source) or [w for w in WORD.findall(source) if self.texts.rank.get(w, 0) > 300]
            if found and (name := r.choice(found)):
                questions.append(self.noul([f"Does the text mention {name}?", f"The text mentions \"{name}\".", f"Is {name} named here?"], name in state))
        return state, questions

    def missing(self, number):
        """A word left out; wrong ones are as frequent or begin alike, so inflections are among them."""
        r, sentence = self.random, self.sentence(number)
        found = [match for match in WORD.finditer(sentence) if match[0] in self.texts.rank]
        if not found:
            return sentence, []
        gap = r.choice(found)
        place = self.texts.rank[gap[0]]
        near = lambda: self.texts.words[min(len(self.texts.words) - 1, int(place * r.uniform(0.6, 1.6) + r.randrange(20)))]
        wrong = [near() for _ in range(r.choice([1, 3, 4, 6]))]
        alike = [word for word in self.texts.stems[gap[0][:4].lower()] if word != gap[0]]
        wrong[: len(wrong) // 2 + 1] = r.sample(alike, min(len(alike), len(wrong) // 2 + 1))
        # as large or small as the right one, or the first letter would tell
        wrong = [word[0].upper() + word[1:] if gap[0][0].isupper() else word[0].lower() + word[1:] for word in wrong]
        state = sentence[: gap.start()] + r.choice(["____", "[?]", "..."]) + sentence[gap.end() :]
        return state, [self.choice(["Which word is missing?", "Fill the gap.", "Choose the word that fits."], gap[0], wrong)]

    def pair(self, number):
        """Do two pieces belong together: neighbours, or pieces of other places and other texts?"""
        r, document = self.random, self.texts.documents[number]
        at = min((r.randrange(len(document) - 1) for _ in range(3)), key=lambda at: len(document[at]) + len(document[at + 1]))
        gold = r.random() < 0.5
        second = document[at + 1] if gold else self.short()
        one, other = labels = self.equals()
        return self.two(labels, document[at], second), self.both(
            ["Do both come from the same text?", "Are both about the same subject?", "The two belong together.", f"{other} and {one} are about the same thing.",
             f"{other} goes on where {one} ends.", "Is there a connection between the two?"],
            ["Are they about different things?", "The two have nothing to do with each other.", "They come from different texts.",
             f"{other} has another subject than {one}.", f"Is {other} unrelated to {one}?"], gold)

    def same(self, number):
        """Is one a shorter or reordered form of the other, or another sentence (of the same text, or with a word changed)?"""
        r, first = self.random, self.short(number)
        words = first.split()
        kept = [word for word in words if r.random() < 0.75 or (self.texts.rank.get(word.strip(".,"), 0) > 2000 and r.random() < 0.6)]
        if len(kept) > 6 and r.random() < 0.4:
            cut = r.randrange(2, len(kept) - 2)
            kept = kept[cut:] + kept[:cut]
        second, gold = " ".join(kept), True
        kind = r.random()
        if kind < 0.42:
            second = self.short(number if r.random() < 0.6 else None)
            gold = second == first
        elif kind < 0.54:
            changed = self.changed(second if r.random() < 0.4 else first)
            second, gold = changed or second, not changed
        if r.random() < 0.5:
            first, second = second, first
        one, other = labels = self.equals()
        return self.two(labels, first, second), self.both(
            ["Do both say the same?", "Is one a version of the other?", "Both have the same content.", f"Does {other} agree with {one}?", f"{one} and {other} match.",
             f"{other} says what {one} says.", f"Is {other} another wording of {one}?"],
            ["Do they say different things?", "One says something else than the other.", "Do the two differ in content?", f"{other} departs from {one}.",
             f"Is there a difference in what {one} and {other} say?"], gold)

    def changed(self, sentence):
        """The sentence with one thing made untrue: a number, a name, a "not", a rare word. Empty where there is none."""
        r = self.random
        other = self.sentence()
        swaps = [(NUMBER, lambda found: str(int(found) + r.choice([1, 2, 5, 10, 30]))), (NAME, lambda found: (NAME.findall(other) or [""])[0]),
                 (VERB, lambda found: f"{found} not"), (WORD, lambda found: r.choice(self.texts.words[300:]))]
        r.shuffle(swaps)
        for pattern, swap in swaps:
            found = [m for m in pattern.finditer(sentence) if pattern is not WORD or self.texts.rank.get(m[0], 0) > 300]
            match = r.choice(found) if found else None
            if match and (new := swap(match[0])) and new != match[0]:
                return sentence[: match.start()] + new + sentence[match.end() :]
        return ""

    def rare(self, text):
        """Its two to four rarest words."""
        r = self.random
        words = sorted(set(WORD.findall(text)), key=lambda word: -self.texts.rank.get(word, 30000))[: r.choice([2, 3, 4])]
        r.shuffle(words)
        return " ".join(words).lower() if r.random() < 0.5 else " ".join(words)

    def about(self, number):
        """Does a short description (a title, or rare words of the text around) fit a sentence, and which of several sentences does it fit?"""
        r, document = self.random, self.texts.documents[number]
        at = min((r.randrange(len(document)) for _ in range(3)), key=lambda at: len(document[at]))
        text = document[at]
        near = document[at - 1] if r.random() < 0.5 else text
        title = self.texts.titles[number] if r.random() < 0.5 else None
        described = r.choice(WANTED).format(title or self.rare(near))
        others = [self.short() for _ in range(3)]
        if r.random() < 0.3:
            question = self.choice(["Which text fits?", "Which one is relevant?", "Choose the text about it."], text, others[: r.choice([1, 2, 3])])
            return described, [question]
        if r.random() < 0.3:
            shown = [text, *others[: r.choice([1, 2])]]
            r.shuffle(shown)
            names = r.choice(["ABC", "123", ["first", "second", "third"]])[: len(shown)]
            question = {"type": "choice", "instructions": f"Which one {r.choice(['is about', 'belongs to', 'fits'])} \"{described}\"?",
                        "criteria": {name: None for name in names}, "gold": names[shown.index(text)]}
            return "\n".join(f"{name}: {sentence}" for name, sentence in zip(names, shown)), [question]
        gold = r.random() < 0.5
        one, other = labels = self.looked_up()
        one, other = one.lower(), other.lower()
        shown = text if gold else others[0]
        if r.random() < 0.3:
            shown = r.choice(OFFERED).format(self.rare(shown))
        return self.two(labels, described, shown), self.both(
            [f"Is the {other} relevant to the {one}?", f"The {other} fits the {one}", f"Does the {other} have to do with the {one}?", f"The {other} is relevant to the {one}",
             f"Does the {other} help with the {one}?", f"The {other} is useful for the {one}", f"The {other} is on the subject of the {one}",
             f"Would somebody with this {one} want this {other}?", f"Are {one} and {other} about the same thing?", f"The {other} answers to the {one}"],
            [f"Is the {other} unrelated to the {one}?", f"The {other} is off the subject", f"The {other} does not fit the {one}",
             f"The {other} is of no use for the {one}", f"Is the {other} about something else than the {one}?"], gold)

    def overlap(self, number):
        """How much of one sentence is in another."""
        r, first = self.random, self.short(number)
        words, others = first.split(), self.short(number if r.random() < 0.5 else None).split()
        levels = r.choice([["nothing in common", "some things in common", "the same"], ["unrelated", "slightly similar", "similar", "very similar"],
                           ["not at all alike", "hardly alike", "half alike", "mostly alike", "equal"], ["0", "1", "2", "3", "4", "5"]])
        level = r.randrange(len(levels))
        share = level / (len(levels) - 1)
        kept = [word for word in words if r.random() < share] + [word for word in others if r.random() > share]
        if r.random() < 0.4:
            r.shuffle(kept)
        pair = [first, " ".join(kept) or others[0]]
        if r.random() < 0.5:
            pair.reverse()
        question = {"type": "score", "instructions": r.choice(["How similar are the two?", "How close is one to the other?", "How much do they have in common?"]),
                    "criteria": levels, "gold": level}
        return self.two(self.equals(), *pair), [question]

    def damaged(self, number):
        """How much of a sentence was put out of order or made bad English; alone, or beside what it was."""
        r, sentence = self.random, self.sentence(number)
        asked, levels = r.choice(DAMAGE)
        level, words = r.randrange(len(levels)), sentence.split()
        places = r.sample(range(len(words)), round(0.6 * len(words) * level / (len(levels) - 1)))
        shuffled = r.random() < 0.3
        for place, word in zip(places, r.sample([words[p] for p in places], len(places))):
            words[place] = word if shuffled else self.worsened(words[place])
        if is_praise(asked):
            levels, level = levels[::-1], len(levels) - 1 - level
        state, damaged = " ".join(word for word in words if word), "sentence"
        if r.random() < 0.4:
            damaged, other = r.choice([("output", "reference"), ("new text", "original text"), ("answer", "model answer"), ("copy", "source")])
            state = self.two((damaged.capitalize(), other.capitalize()), state, sentence)
        question = {"type": "score", "instructions": asked.format(damaged), "criteria": levels, "gold": level}
        if r.random() < 0.3:
            question |= {"criteria": levels[::-1], "gold": len(levels) - 1 - level}
        return state, [question]

    def worsened(self, word):
        """A word twice, left out, in another form, or another in its place."""
        r = self.random
        alike = self.texts.stems.get(word[:4].lower(), [])
        return r.choice([f"{word} {word}", "", r.choice(alike) if alike else "the", r.choice(self.texts.words[:300]), r.choice(self.texts.words)])

    def row(self, weights):
        number = self.other()
        return self.row_of("text", getattr(self, self.random.choices(list(weights), list(weights.values()))[0]), number)


def main():
    parser = text_arguments(400_000, 60_000_000)
    parser.add_argument("--compare", action="store_true", help="only questions that compare two pieces of text")
    args = parser.parse_args()
    random_, weights = random.Random(0), COMPARING if args.compare else COMPARING | READING
    makers = [Maker(Texts(path, args.limit), random_) for path in text_files(args.data)]
    write_rows(args.out, (makers[number % len(makers)].row(weights) for number in range(args.rows)))


if __name__ == "__main__":
    main()
