"""Makes questions on how natural a sentence is: sentences with none to several small faults, as generated text has them."""
import random

from asking import Asking, write_rows
from plain_texts import Texts, text_arguments, text_files
from wording_faults import with_faults

QUALITIES = [("natural", "unnatural"), ("fluent", "awkward"), ("clear", "unclear"), ("correct", "faulty"), ("readable", "unreadable"), ("smooth", "clumsy"), ("grammatical", "ungrammatical"), ("good", "bad")]
# from best to worst, {g} a good quality and {b} its opposite
SCALES = [
    ["very {g}", "{g}", "{b}", "very {b}"], ["{g}", "a little {b}", "{b}"], ["very {g}", "quite {g}", "a little {b}", "{b}", "very {b}"],
    ["completely {g}", "very {g}", "rather {g}", "rather {b}", "very {b}", "completely {b}"], ["{g}", "somewhat {g}", "somewhat {b}", "{b}"],
    ["very {g}", "{g}", "somewhat {g}", "somewhat {b}", "{b}", "very {b}"], ["perfectly {g}", "mostly {g}", "not very {g}", "not {g} at all"], ["extremely {g}", "{g}", "neutral", "{b}", "extremely {b}"],
    ["perfect", "good", "fair", "poor", "broken"], ["no errors", "one error", "some errors", "many errors"], ["native", "nearly native", "foreign", "broken"],
    ["5", "4", "3", "2", "1"], ["6", "5", "4", "3", "2", "1"], ["4", "3", "2", "1"], ["1", "2", "3", "4", "5", "6", "7"][::-1],
]
ASKED = ["How {g} is the {it}?", "Rate the {it}: how {g} is it?", "How {g} does the {it} sound?", "Judge the language of the {it}.", "Rate the wording of the {it}.", "Rate the quality of the {it}.",
         "How well written is the {it}?", "Score the {it}.", "Grade the English of the {it}.", "How {g} is the wording?", "How would a native speaker rate the {it}?"]
NAMES = [("output", "reference"), ("generated text", "human text"), ("translation", "reference translation"), ("candidate", "reference"), ("machine text", "model answer"),
         ("system output", "original"), ("draft", "final text"), ("student's sentence", "corrected sentence"), ("bot", "person"), ("new wording", "old wording")]


class Maker(Asking):
    def __init__(self, texts, random_):
        super().__init__(random_)
        self.texts = texts

    def sentence(self):
        """Mostly a short one: as much to learn, in fewer tokens."""
        text = min((self.random.choice(self.random.choice(self.texts.documents)) for _ in range(2)), key=len)
        return text.split(": ", 1)[-1]

    def worse(self, words, count):
        return " ".join(with_faults(words, count, self.random, self.sentence().split()))

    def most(self, words):
        """So many faults make a sentence as bad as can be."""
        return 2 + len(words) // 6

    def styled(self):
        """How the row is written: as people do, or in small letters as some generators do."""
        kind = self.random.random()
        if kind < 0.55:
            return lambda text: text
        if kind < 0.8:
            return str.lower
        return lambda text: text.lower().replace(" '", "'").replace("'", " '").replace(",", " ,")

    def beside(self, text, whole, style):
        """The state and what the sentence is called in it: alone, or beside what it should have been."""
        if self.random.random() < 0.45:
            name = self.random.choice(["sentence", "text", "sentence", "reply", "message"])
            return style(text) if self.random.random() < 0.7 else f"{name.capitalize()}: {style(text)}", name
        one, other = self.random.choice(NAMES)
        return self.two((one.capitalize(), other.capitalize()), style(text), style(whole)), one

    def rated(self):
        r, whole = self.random, self.sentence()
        words, (good, bad) = whole.split(), r.choice(QUALITIES)
        levels = [level.format(g=good, b=bad) for level in r.choice(SCALES)]
        level = r.randrange(len(levels))
        count = self.most(words) * level / (len(levels) - 1)
        count = int(count) + (r.random() < count % 1)
        # what it is beside says the same in other words, or has been made from it
        state, name = self.beside(self.worse(words, count), whole if r.random() < 0.6 else self.worse(words, 1), self.styled())
        question = {"type": "score", "instructions": r.choice(ASKED).format(it=name, g=good), "criteria": levels, "gold": level}
        if r.random() < 0.6:
            question |= {"criteria": levels[::-1], "gold": len(levels) - 1 - level}
        fine = self.noul([f"Is the {name} correct English?", f"The {name} is {good}.", "Would a native speaker say this?", f"Does the {name} read naturally?", f"The {name} has no faults.",
                          f"Is the {name} {good}?"], count == 0) if count == 0 or count >= 2 else None
        return state, [question, fine if r.random() < 0.5 else None]

    def better(self):
        """Which of two or three sentences is the better one."""
        r, whole = self.random, self.sentence()
        words, few = whole.split(), r.choice([0, 0, 1])
        counts = [few, *(few + r.randrange(2, 5) for _ in range(r.choice([1, 1, 2])))]
        style = self.styled()
        shown = [style(self.worse(words if r.random() < 0.7 else self.sentence().split(), count)) for count in counts]
        order = r.sample(range(len(shown)), len(shown))
        names = r.choice(["ABC", "123", ["first", "second", "third"]])[: len(shown)]
        good, bad = r.choice(QUALITIES)
        best = names[order.index(0)]
        questions = [{"type": "choice", "instructions": r.choice([f"Which one is the most {good}?", "Which one is better English?", f"Choose the {good} one.", "Which sentence is well formed?"]),
                      "criteria": {name: None for name in names}, "gold": best}]
        if len(shown) == 2 and r.random() < 0.5:
            named = r.choice(names)
            questions.append(self.noul([f"{named} is more {good} than the other.", f"Is {named} the better sentence?"], named == best))
        return "\n".join(f"{name}: {shown[at]}" for name, at in zip(names, order)), questions


def main():
    args = text_arguments(80_000, 12_000_000).parse_args()
    random_ = random.Random(0)
    makers = [Maker(Texts(path, args.limit), random_) for path in text_files(args.data)]
    # half of them from conversations, whose sentences are those that are generated most
    weights = [4 if path.name.startswith("pretrain-dialogue") else 1 for path in text_files(args.data)]
    drawn = (random_.choices(makers, weights)[0] for _ in range(args.rows))
    write_rows(args.out, (maker.row_of("wording", maker.rated if random_.random() < 0.75 else maker.better) for maker in drawn))


if __name__ == "__main__":
    main()
