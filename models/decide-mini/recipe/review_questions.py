"""Makes questions on the tone of short reviews that are put together from pieces: praise, blame, both with one that prevails, and a verdict."""
import review_kinds as kinds
from asking import Asking, begun, slots, table, write_made

SLOTS = slots(kinds.SLOTS)


def inside(text):
    """For the middle of a sentence: "I" and names of grades keep their capital."""
    return text if text.split(" ", 1)[0] in ("I", "I'd", "I've") else text[:1].lower() + text[1:]


class Maker(Asking):
    def __init__(self, random_):
        super().__init__(random_)
        self.reviewed = [line[1:] for line in table(kinds.REVIEWED)]
        self.verdicts = [text.split("; ") for text in reversed(kinds.VERDICTS)]
        self.forms = {self.review: 1}

    def text(self, stars):
        """The title and the text of a review of so many stars, from 0 to 4."""
        r, (names, plain, praise, blame) = self.random, self.random.choice(self.reviewed)
        filled = lambda text: text.format(x=name, **{slot: r.choice(values) for slot, values in SLOTS.items()})
        name = r.choice(names)
        good, bad = ([filled(text) for text in r.sample(texts, 3)] for texts in (praise, blame))
        pieces = [filled(r.choice(plain))] if r.random() < 0.45 else []
        if stars == 2 or (stars in (1, 3) and r.random() < 0.6):
            turns = kinds.TURNS if stars == 1 else kinds.TURNED if stars == 3 else r.choice([kinds.TURNS, kinds.TURNED])
            pieces.append(begun(r.choice(turns).format(p=inside(good[0]), n=inside(bad[0]))).rstrip("."))
        else:
            pieces.extend((good if stars > 2 else bad)[: r.choice([1, 2, 3] if stars in (0, 4) else [1, 2])])
        if r.random() < (0.5 if stars != 2 else 0.8):
            pieces.insert(r.choice([0, len(pieces), len(pieces)]), r.choice(self.verdicts[stars]))
        text = ""
        for piece in pieces:
            text += piece + r.choice([". ", ". ", ". ", "! ", ".  ", "... ", ".\n"])
        text = text.strip()
        how = r.random()
        text = text.lower() if how < 0.12 else text.upper() if how < 0.14 else text.rstrip(".") if how < 0.3 else text
        title = r.choice([*self.verdicts[stars], *self.verdicts[stars], *(good if stars > 2 else bad if stars < 2 else good + bad), name, f"my {name}", filled(r.choice(plain))])
        return r.choice([str, str, str.lower, str.title, begun])(title), text

    def titled(self, title, text):
        """Most reviews come without their title, the others in one of the forms that shops keep them in."""
        r = self.random
        if r.random() < 0.6:
            return self.shown(text, ["review", "text", "comment", "body"], ["Review", "Customer", "Feedback", "Comment"])
        return r.choice([f"Title: {title}\nText: {text}", f"Title: {title}\nReview: {text}", f"{title}\n{text}", f"{title}. {text}", f"{title} - {text}", f"Subject: {title}\n\n{text}", {"title": title, "text": text}, {"headline": title, "review": text}])

    def review(self):
        """A review, whether it is good, and how good."""
        r, stars = self.random, self.random.choice([0, 0, 1, 2, 3, 4, 4])
        ask = [self.stars(stars)]
        if stars != 2:
            gold, called = stars > 2, r.choice(kinds.CALLED)
            good, bad = ([asked.format(c=called) for asked in table] for table in (kinds.GOOD, kinds.BAD))
            ask += [self.sided(kinds.SIDES, gold), *self.both(good, bad, gold)]
        return self.titled(*self.text(stars)), r.sample(ask, min(len(ask), r.choice([1, 2, 2])))

    def stars(self, stars):
        return {"type": "score", "instructions": self.random.choice(kinds.RATED), "criteria": self.random.choice(kinds.LEVELS), "gold": stars}


if __name__ == "__main__":
    write_made(Maker, "reviews", 20000, 10)
