"""Makes questions on whether what is offered fits what was asked for: queries, clarifying questions, suggestions, titles of pages and tickets."""
import random

from asking import Asking, write_rows
from plain_texts import WORD, Texts, text_arguments, text_files

ASKED = ["{}", "{}", "What is {}?", "Tell me about {}.", "tell me about {}", "I'm looking for {}", "Find {}", "find information on {}", "How do I get {}?", "where can I find {}", "Where to buy {}",
         "how to choose {}", "I'd like to learn about {}", "Give me facts about {}", "Is {} any good?", "who knows about {}", "Why does {} matter?", "best {}", "I need {}", "problem with {}", "Can you help me with {}?", "Show me {}"]
OFFERED = ["Would you like to know more about {}?", "are you looking for {}", "do you want to know {}", "are you interested in {}", "Do you mean {}?", "do you need {}", "were you looking for {}", "would you like {}",
           "are you asking about {}", "Which {} do you mean?", "do you want to see {}", "are you referring to {}", "is this about {}", "{}", "I can tell you about {}.", "More on {}: see below.", "{} - overview", "Guide: {}", "did you want {}"]
# what is said of a subject without being it; the same of another subject is no help
SIDES = ["the price of {}", "{} reviews", "the history of {}", "pictures of {}", "how to install {}", "{} near you", "{} opening hours", "a definition of {}", "examples of {}", "alternatives to {}", "latest news on {}", "kinds of {}", "the meaning of {}",
         "symptoms of {}", "the side effects of {}", "{} for beginners", "recipes with {}", "the location of {}", "the benefits of {}", "a map of {}", "instructions for {}", "who made {}", "information on {}", "how {} works", "{} for sale", "causes of {}",
         "a list of {}", "the website of {}", "rules of {}", "how to learn {}", "reports on {}", "{} in history", "the age of {}", "a video of {}", "{} for children", "cheap {}", "{} online", "courses on {}", "the phone number of {}"]
LABELS = [("Query", "Clarifying question"), ("Query", "Suggestion"), ("Search", "Result"), ("User", "Assistant"), ("Customer", "Agent"), ("Request", "Offer"), ("Question", "Follow-up question"), ("Search terms", "Page"), ("Topic", "Comment"),
          ("Ticket", "Article"), ("Question", "Related question"), ("Keywords", "Title"), ("User", "Bot"), ("Need", "Product"), ("Subject", "Message"), ("Prompt", "Response"), ("Question", "Counter question")]
# as common as this says nothing of the subject
RARE = 500
TRIES = 1000
LEVELS = [["unrelated", "same subject", "exactly what is asked for"], ["0", "1", "2"], ["not relevant", "somewhat relevant", "highly relevant"], ["off topic", "on topic", "spot on"]]


class Maker(Asking):
    def __init__(self, texts, random_):
        super().__init__(random_)
        self.texts = texts

    def subjects(self, sentence):
        """Runs of one to three rare words."""
        runs, run = [], []
        for word in [*sentence.split(), ""]:
            bare = word.strip(".,;:!?\"'()")
            if WORD.fullmatch(bare) and self.texts.rank.get(bare, 0) > RARE:
                run.append(bare)
            elif run:
                runs.append(" ".join(run[:3]))
                run = []
        return runs

    def found(self):
        """Two subjects of one place in a text, or one and the text's title; they may be the same."""
        r = self.random
        for _ in range(TRIES):
            number = r.randrange(len(self.texts.documents))
            document = self.texts.documents[number]
            at = r.randrange(len(document) - 1)
            here = self.subjects(document[at])
            if here:
                one = self.texts.titles[number] if self.texts.titles[number] and r.random() < 0.5 else r.choice(here)
                near = [subject for subject in here + self.subjects(document[at + 1]) if subject != one]
                return one, (r.choice(near) if near else one)
        raise ValueError(f"found no word rarer than the {RARE} most frequent in {TRIES} sentences: read more of the texts (--limit)")

    def part(self, subject):
        """The subject, or a word less."""
        words = subject.split()
        return " ".join(words[1:] if self.random.random() < 0.5 else words[:-1]) if len(words) > 1 and self.random.random() < 0.3 else subject

    def written(self, text):
        return text.lower() if self.random.random() < 0.5 else text

    def query(self, subject, side):
        return self.written(self.random.choice(ASKED).format(side.format(subject)))

    def offer(self, subject, side):
        return self.written(self.random.choice(OFFERED).format(side.format(self.part(subject))))

    def sides(self):
        """What of a subject is asked for and what is offered; often nothing particular, often the same."""
        r = self.random
        asked, offered = (r.choice(SIDES) if r.random() < chance else "{}" for chance in (0.45, 0.7))
        return asked, asked if r.random() < 0.25 else offered

    def relevant(self):
        r, (subject, near) = self.random, self.found()
        asked, offered = self.sides()
        gold = r.random() < 0.5
        shown = (subject if r.random() < 0.75 else near) if gold else r.choice(self.found())
        one, other = labels = r.choice(LABELS)
        one, other = one.lower(), other.lower()
        return self.two(labels, self.query(subject, asked), self.offer(shown, offered)), self.both(
            [f"Is the {other} relevant to the {one}?", f"The {other} is relevant to the {one}", f"Does the {other} help with the {one}?", f"The {other} fits the {one}", f"Does the {other} have to do with the {one}?",
             f"Is the {other} useful for the {one}?", f"The {other} is on the subject of the {one}", f"Would the {other} make sense to somebody with this {one}?", f"Does the {other} clarify what is meant by the {one}?",
             f"The {other} is a sensible reaction to the {one}"],
            [f"Is the {other} unrelated to the {one}?", f"The {other} is off topic", f"The {other} does not fit the {one}", f"The {other} is of no use for the {one}", f"Is the {other} about something else than the {one}?"], gold)

    def picked(self):
        """Which of several offers fits, or what several queries have been answered with."""
        r, (subject, near) = self.random, self.found()
        asked, offered = self.sides()
        right = self.offer(subject if r.random() < 0.8 else near, offered)
        wrong = [self.offer(self.found()[0], r.choice([offered, r.choice(SIDES)])) for _ in range(r.choice([1, 2, 3, 4]))]
        return self.query(subject, asked), [self.choice(["Which one is relevant?", "Which one fits best?", "Choose the reply that fits.", "What should be shown?", "Which offer helps?"], right, wrong)]

    def graded(self):
        """Another subject, another side of it, or just what is asked for."""
        r, (subject, _) = self.random, self.found()
        levels, level = r.choice(LEVELS), r.randrange(3)
        asked, other_side = r.sample(SIDES, 2)
        shown = [self.offer(self.found()[0], r.choice([asked, other_side])), self.offer(subject, other_side), self.offer(subject, asked)][level]
        question = {"type": "score", "instructions": r.choice(["How relevant is it?", "Rate the relevance.", "How well does it fit?"]), "criteria": levels, "gold": level}
        return self.two(r.choice(LABELS), self.query(subject, asked), shown), [question]


def main():
    args = text_arguments(80_000, 12_000_000).parse_args()
    random_ = random.Random(0)
    makers = [Maker(Texts(path, args.limit), random_) for path in text_files(args.data)]
    forms = {"relevant": 7, "picked": 2, "graded": 1}
    drawn = (random_.choice(makers) for _ in range(args.rows))
    write_rows(args.out, (maker.row_of("search", getattr(maker, random_.choices(list(forms), list(forms.values()))[0])) for maker in drawn))


if __name__ == "__main__":
    main()
