"""Makes questions on what is meant where the words differ: replies that say yes in other words, made and heard, kinds of things in a sentence, reasons, fates of rules, junk mail.

A model that has learnt to compare words takes texts without common ones for different. Here they say the same as often as not, and texts with
many common words the opposite. Rows have the form of the decision files; the tables are in `meaning_kinds.py`.
"""
import argparse
import random
import re
from pathlib import Path

import meaning_kinds as kinds
from asking import Asking, begun, table, write_rows
from heard_replies import heard_replies
from lexicon_questions import Lexicon
from message_kinds import CALLED, GENRES
from message_sources import Sources
from records import NAMES
from statement_pairs import statement_pairs

WORD = re.compile(r"\b[a-z]{3,}\b")
PRONOUNS = {"The", "This", "It", "He", "She", "They", "We", "You"}
# what a clause does not end with that a reason has been cut from
LOOSE = {"that", "was", "are", "not", "only", "just", "partly", "mainly", "probably", "and", "were", "simply", "part", "perhaps", "precisely", "merely", "but", "largely", "either"}


class Maker(Asking):
    def __init__(self, sources, lexicon, pairs, heard, random_):
        super().__init__(random_)
        self.texts, self.lexicon = [text for genre in GENRES for text in sources.texts[genre]], lexicon
        self.pairs, self.replies_heard = pairs, heard
        self.messages = [m for m in sources.messages if 20 < len(m) < 200]
        self.replies, self.reasons, self.kinds_said = table(kinds.REPLIES), [[f[0] for f in line] for line in table(kinds.REASONS)], table(kinds.KINDS)
        self.nouns = {lexicon.senses[key].words[0]: key for key in reversed(lexicon.of["n"])}
        self.examples = {}
        for key in lexicon.of["n"]:
            for kind in lexicon.kinds(key)[1:]:
                self.examples.setdefault(lexicon.senses[kind].words[0], []).append(lexicon.senses[key].words[0])
        # kinds of things that say something: neither nearly everything nor one thing alone
        self.usable = {word for word, known in self.examples.items() if 4 <= len(known) <= 600 and " " not in word}
        self.because = [sentence for text in self.texts for document in text.documents for sentence in document if " because " in sentence and len(sentence) < 220]
        self.forms = {self.reply: 5, self.heard: 6, self.told: 4, self.pair: 6, self.kind_reply: 3, self.mention: 4, self.why: 3, self.given: 3, self.fate: 3, self.junk: 2, self.graded: 3}

    def sentence(self):
        return self.random.choice(self.random.choice(self.random.choice(self.texts).documents))

    def said(self):
        """What is asked, what a yes says, a reply, and whether it means yes."""
        r, (question, statements, yes, no) = self.random, self.random.choice(self.replies)
        meant = r.random() < 0.5
        own = r.random() < 0.75
        return question[0], statements, r.choice((yes if meant else no) if own else (kinds.SURE if meant else kinds.NEVER)), meant

    def reply(self):
        """A question and what somebody answers."""
        question, _, reply, meant = self.said()
        return self.answered(question, reply + self.random.choice(["", "."]) if reply[-1] != "?" else reply, meant)

    def heard(self):
        """The same of what people said, or which of some replies it was."""
        r, meant = self.random, self.random.random() < 0.5
        question, reply = r.choice(self.replies_heard[meant])
        if r.random() < 0.85:
            return self.answered(question, reply, meant)
        word = "Yes" if meant else "No"
        return question, [self.choice([f"Which reply goes on after a \"{word}\"?", f"Somebody says {word.lower()}. What else do they say?"], reply,
                                      [r.choice(self.replies_heard[not meant])[1] for _ in range(r.choice([1, 2, 3]))])]

    def answered(self, question, reply, meant):
        r = self.random
        state = self.two(r.choice([("Question", "Answer"), ("A", "B"), ("Agent", "Customer"), ("Q", "A"), ("Anna", "Paul"), ("Asked", "Answered")]), question, reply)
        ask = self.both(kinds.MEANT_YES, kinds.MEANT_NO, meant)[:1]
        if r.random() < 0.5:
            names = r.choice([("yes", "no"), ("agrees", "refuses"), ("positive", "negative"), ("it is so", "it is not so")])
            ask.append(self.choice(["What does the answer mean?", "How is the question answered?", "Yes or no?"], names[0 if meant else 1], [*names, *(["something else"] if r.random() < 0.3 else [])]))
        return state, ask

    def agreement(self, first, second, gold, asked_same=kinds.SAME):
        one, other = labels = self.equals()
        return self.two(labels, first, second), self.both([asked.format(one=one, other=other) for asked in asked_same], [asked.format(one=one, other=other) for asked in kinds.DIFFER], gold)

    def told(self):
        """Two things said, in other words: the reply and what a yes says, or two replies."""
        r, (_, statements, yes, no) = self.random, self.random.choice(self.replies)
        gold = r.random() < 0.5
        if r.random() < 0.7:
            first, second = r.choice(yes if gold else no), r.choice(statements)
        else:
            first, second = r.choice(yes), r.choice(yes + statements if gold else no)
        if r.random() < 0.08:
            first, gold = self.said()[2], first == second
        # some replies begin like what they answer, whether they agree or not
        if r.random() < 0.2:
            first = f"{r.choice(kinds.SURE if gold else kinds.NEVER)}. {first}"
        return self.agreement(first + ("" if first[-1] == "?" else "."), second + r.choice([".", " .", ""]), gold)

    def pair(self):
        """Statements of the labelled data, under other names."""
        gold = self.random.random() < 0.5
        return self.agreement(*self.random.choice(self.pairs[gold]), gold, kinds.FOLLOWS)

    def kind_reply(self):
        """The same of a thing of some kind: whoever feeds a poodle has an animal."""
        r, ((kind, *_), statements, yes, no) = self.random, self.random.choice(self.kinds_said)
        gold = r.random() < 0.5
        thing = r.choice([word for word in self.examples[kind] if " " not in word])
        return self.agreement(begun(r.choice(yes if gold else no).format(x=thing)) + ".", r.choice(statements) + ".", gold)

    def mention(self):
        """Whether a sentence names something of a kind, by the words' commonest senses."""
        r, sentence = self.random, self.sentence()
        found = [key for word in WORD.findall(sentence) if (key := self.nouns.get(word) or self.nouns.get(word.removesuffix("s")))]
        over = {self.lexicon.senses[kind].words[0] for key in found for kind in self.lexicon.kinds(key)[1:]}
        named = [word for word in sorted(over & self.usable) if word not in sentence]
        foreign = [word for _ in range(6) for kind in self.lexicon.kinds(r.choice(self.lexicon.of["n"]))[1:] if (word := self.lexicon.senses[kind].words[0]) in self.usable - over]
        if not named or not foreign:
            return self.mention()
        with_article = lambda word: f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
        questions = []
        for gold in r.sample([True, False], 2):
            a = with_article(r.choice(named if gold else foreign))
            questions.append(self.noul([asked.format(a=begun(a) if asked.startswith("{") else a) for asked in kinds.MENTIONED], gold))
        if r.random() < 0.5:
            questions[0] = self.choice(["Which of these is mentioned?", "What kind of thing is in the text?", "The text speaks of"], r.choice(named), r.sample(foreign, min(len(foreign), r.choice([1, 2, 3]))))
        return sentence, questions

    def why(self):
        """A short story, and whether it says why somebody did something."""
        r = self.random
        told = r.sample(self.reasons, r.choice([1, 2, 3]))
        reason, act, asked = told[0]
        name, gold = r.choice(NAMES), r.random() < 0.5
        parts = [[reason, act] if gold else [act]] + [r.choice([[why, what], [what], [why]]) for why, what, _ in told[1:]]
        r.shuffle(parts)
        joined = [", so ".join([part[0], part[1]]) if len(part) == 2 and r.random() < 0.2 else ". ".join(map(begun, part)) for part in parts]
        story, question = " ".join(begun(part) + "." for part in joined).format(n=name), f"Why did {name} {asked}?"
        ask = self.both(kinds.WHY, kinds.WHY_NOT, gold)
        if gold and len(told) > 1 and r.random() < 0.5:
            ask = [self.choice([question], begun(reason.format(n=name)), [begun(other.format(n=name)) for other, _, _ in r.sample(self.reasons, 3) if other != reason])]
            return story, ask
        if r.random() < 0.6:
            return r.choice(["{}\n{}", "{} {}", "Story: {}\nQuestion: {}", "Text: {}\n\nAsked: {}"]).format(story, question), ask
        clause = act.format(n=name)
        return story, self.both([f"Does it say why {clause}?", f"The text gives a reason why {clause}"], [f"Is it left open why {clause}?", f"It is not said why {clause}"], gold)

    def given(self):
        """The same of sentences with a "because", its reason left away or told as a sentence before."""
        r, sentence = self.random, self.random.choice(self.because)
        clause, reason = sentence.split(" because ", 1)
        reason = reason.rstrip(".!?\"” ")
        if not re.fullmatch(r"(?:The|This|It|He|She|They|We|I|You|[A-Z][a-z]+ (?:was|is|had|did|left|went)) (?:[\w'-]+ ){2,12}[a-z]{3,}", clause) or clause.split()[-1] in LOOSE or len(reason.split()) < 3 or reason.startswith("of "):
            return self.given()
        gold = r.random() < 0.5
        core = (f"{clause} because {reason}." if r.random() < 0.5 else f"{begun(reason)}. So {clause}.") if gold else f"{clause}."
        parts = [begun(core), *(self.sentence() for _ in range(r.choice([0, 1])))]
        if not gold and r.random() < 0.4:
            parts.append(r.choice(self.because))
        r.shuffle(parts)
        clause = clause[:1].lower() + clause[1:] if clause.split()[0] in PRONOUNS else clause
        return " ".join(parts), self.both([f"Is it said why {clause}?", f"The text gives a reason why {clause}", f"Does it explain why {clause}?"], [f"Is it left open why {clause}?", f"No reason is given why {clause}"], gold)

    def fate(self):
        """What becomes of a rule or a decision."""
        r, fate = self.random, self.random.choice(["ends", "ends", "stays", "named"])
        rule, (meaning, said) = r.choice(kinds.RULES), kinds.FATES[fate]
        core = f"{rule} {r.choice(said.split('; '))}"
        core = r.choice(["{}", "{}", "accordingly, {}", "to that extent, {}", "we note that {}", "as of today, {}", "for these reasons {}", "in so far as it is not consistent with this text, {}"]).format(core)
        if fate != "named" and r.random() < 0.2:
            verb = r.choice(["withdraw", "revoke", "overrule", "annul", "repeal", "cancel", "take back", "set aside", "reverse"] if fate == "ends" else ["uphold", "confirm", "affirm", "keep", "renew", "reaffirm", "maintain"])
            core = f"{r.choice(['we', 'the court', 'the board', 'the parties', 'I'])} {r.choice(['hereby', 'must', 'therefore', 'now'])} {verb} {rule}"
        if r.random() < 0.15:
            fate, core, meaning = "named", self.sentence().rstrip("."), kinds.FATES["named"][0]
        state = f"{begun(core)}." if r.random() < 0.6 else f"{self.sentence()} {begun(core)}."
        asked = r.choice(["ends", "ends", "stays"])
        about = r.choice(kinds.THINGS) if r.random() < 0.6 else rule
        ask = [self.noul([begun(text.format(a=about)) for text in kinds.FATES_ASKED[asked]], fate == asked)]
        if core.endswith(tuple(said.split("; "))) and r.random() < 0.4:
            ask.append(self.choice([f"What becomes of {rule}?", "What does the text do to what was decided before?"], meaning, [other for other, _ in kinds.FATES.values()]))
        return state if r.random() < 0.7 else state.lower(), ask

    def junk(self):
        """Unwanted mail and ordinary messages."""
        r, gold = self.random, self.random.random() < 0.5
        word = r.choice(r.choice(self.texts).words[:3000]).lower()
        text = r.choice(self.messages)
        if gold:
            parts = [r.choice(kinds.LURES), *r.sample(kinds.HOOKS, r.choice([1, 2, 3]))]
            text = r.choice(["! ", ". ", " - ", "!! "]).join(parts).format(w=word)
            text = text.upper() if r.random() < 0.1 else text
        call = lambda asked: [question.format(r.choice(CALLED)) for question in asked]
        names = r.choice(kinds.MAIL_NAMES)
        ask = [self.choice(["Which kind of mail is it?", "Spam filter", "Classify the message.", "Is it wanted?"], names[0 if gold else 1], names), *self.both(call(kinds.UNWANTED), call(kinds.WANTED), gold)]
        return text, r.sample(ask, min(2, len(ask)))

    def graded(self):
        """Something produced against what it should be: the more of it is other words, words twice or another order, the worse."""
        r, text = self.random, self.random.choice(self.texts)
        sentence, other = min((self.sentence() for _ in range(3)), key=len), self.sentence().split()
        levels, (one, two) = r.choice(kinds.GRADES), r.choice(kinds.GRADED)
        level = r.randrange(len(levels))
        share = min(1.0, max(0.0, level / (len(levels) - 1) + r.uniform(-0.08, 0.08)))
        words = []
        for at, word in enumerate(sentence.split()):
            if r.random() < share:
                words.append(word)
            elif (kind := r.random()) < 0.45:
                words.append(other[at % len(other)])
            elif kind < 0.6:
                words.extend([word, word])
            elif kind < 0.75:
                words.append(r.choice(text.words[:2000]).lower())
        if share < 0.7 and len(words) > 4 and r.random() < 0.5:
            cut = r.randrange(1, len(words) - 1)
            words = words[cut:] + words[:cut]
        state = self.two((one, two), " ".join(words) or other[0], sentence)
        question = {"type": "score", "instructions": r.choice(kinds.GRADES_ASKED).format(one=one.lower(), other=two.lower()), "criteria": levels, "gold": level}
        if r.random() < 0.4:
            question |= {"criteria": levels[::-1], "gold": len(levels) - 1 - level}
        return state if isinstance(state, dict) or r.random() < 0.6 else state.lower(), [question]

    def row(self):
        return self.row_of("meaning", self.random.choices(list(self.forms), list(self.forms.values()))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=120_000)
    args = parser.parse_args()
    maker = Maker(Sources(args.data), Lexicon(args.wordnet), statement_pairs(args.data), heard_replies(args.data), random.Random(0))
    write_rows(args.out, (maker.row() for _ in range(args.rows)))


if __name__ == "__main__":
    main()
