"""Makes questions on whether a message is junk: lures and advertisements put together from pieces, and what people write to each other, some of it with the words that junk likes."""
import argparse
import random
import re
from pathlib import Path

import junk_kinds as kinds
from asking import Asking, slots, table, write_rows
from message_kinds import CALLED
from message_sources import Sources

# what people say to each other, as far as can be told from the words: not the riddles and captions among the rows
SPOKEN, TASK = re.compile(r"\b(i|i'm|i've|you|me|my|we|your|us|our)\b", re.I), re.compile(r"[:{}\[\]]|sentence|letter|element|number", re.I)
FIELDS, LABELS = ["text", "body", "message", "sms"], ["Message", "SMS", "Email", "Text message", "Subject"]
SLOTS = slots(kinds.SLOTS)


class Maker(Asking):
    def __init__(self, sources, random_):
        super().__init__(random_)
        self.junk_lines, self.personal_lines = table(kinds.JUNK), table(kinds.PERSONAL)
        self.messages = [message for message in sources.messages if 10 < len(message) < 160 and SPOKEN.search(message) and not TASK.search(message)]
        self.words = sorted({word for message in self.messages[:4000] for word in message.lower().split() if word.isalpha() and 3 < len(word) < 10})

    def slot(self):
        """What fills the slots of one piece."""
        r = self.random
        digits = "".join(r.choices("0123456789", k=r.choice([4, 5, 6, 8])))
        word = r.choice(self.words)
        phone = r.choice(["0", "08", "0800 ", "09", "+44 7", "1-800-", "090"]) + "".join(r.choices("0123456789", k=8))
        url = r.choice(["www.{}.com", "http://{}.biz/win", "{}.net/claim", "bit.ly/{}", "www.{}-offers.co.uk", "https://{}.info", "{}4u.com"]).format(word)
        return {**{name: r.choice(values) for name, values in SLOTS.items()}, "digits": digits, "phone": phone, "url": url, "short": "".join(r.choices("0123456789", k=r.choice([4, 5, 6]))), "word": word}

    def put_together(self, line, most):
        """Pieces of one line: a beginning or none, one or two of the middle, as many of the end as may be."""
        r, (begin, middle, end) = self.random, line
        pieces = [*([r.choice(begin)] if r.random() < 0.7 else []), *r.sample(middle, r.choice([1, 1, 2])), *r.sample(end, r.randrange(0, most + 1))]
        text = ""
        for piece in pieces:
            piece = piece.format(**self.slot())
            mark = "" if not text else " " if text[-1] in "?!.:)" else r.choice([". ", "! ", " ", ", ", ".. ", " - ", "... ", "."])
            text += mark + (piece[:1].upper() + piece[1:] if mark.strip() and r.random() < 0.6 else piece)
        return text

    def texted(self, text, share, fillers=0.0):
        """As people type on a phone: short forms, no capitals, fillers."""
        r = self.random
        words = [kinds.TEXTED.get(word.lower(), word) if r.random() < share else word for word in text.split()]
        if r.random() < fillers:
            words.insert(r.randrange(len(words) + 1), r.choice(kinds.FILLERS))
        text = " ".join(words)
        how = r.random()
        return text.lower() if how < share else text.replace("'", "") if how < 1.2 * share else text

    def cased(self, text):
        """Some junk shouts."""
        r, how = self.random, self.random.random()
        if how < 0.08:
            return text.upper()
        return " ".join(word.upper() if r.random() < 0.15 else word for word in text.split()) if how < 0.3 else text

    def asked(self, right, denied):
        called = self.random.choice(CALLED)
        return [question.format(c=called) for question in right], [question.format(c=called) for question in denied]

    def message(self):
        """A message that is junk or from somebody who is known."""
        r, gold = self.random, self.random.random() < 0.5
        if gold:
            text = self.texted(self.cased(self.put_together(r.choice(self.junk_lines), 3)), r.choice([0, 0, 0.2]))
        else:
            text = r.choice(self.messages) if r.random() < 0.5 else self.put_together(r.choice(self.personal_lines), 1)
            text = self.texted(text, r.choice([0, 0.3, 0.6]), 0.15)
        junk, wanted, personal, stranger = (kinds.ASKED[name] for name in ("junk", "wanted", "personal", "stranger"))
        ask = [self.sided(kinds.PICKED, gold), *self.both(*self.asked(junk, wanted), gold), *self.both(*self.asked(stranger, personal), gold)]
        return self.shown(text, FIELDS, LABELS), r.sample(ask, r.choice([1, 2, 3]))

    def service(self):
        """A message of a firm that somebody asked for: from a stranger, but not junk."""
        text = self.random.choice(kinds.SERVICE).format(**self.slot())
        return self.shown(text, FIELDS, LABELS), self.both(*self.asked(kinds.ASKED["junk"][:9], kinds.ASKED["wanted"]), False)[: self.random.choice([1, 2])]


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=20000)
    args = parser.parse_args()
    random_ = random.Random(9)
    maker = Maker(Sources(args.data), random_)
    forms = random_.choices([maker.message, maker.service], [9, 1], k=args.rows)
    write_rows(args.out, [maker.row_of("junk", form) for form in forms])


if __name__ == "__main__":
    main()
