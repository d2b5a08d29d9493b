"""Makes questions on small records: what a field holds, which field or row holds a value, which of two numbers is larger.

To answer, a token of the question must find the same name in the state and go on to what stands beside it. The records of the labelled data
ask for that too, but in long tables, among dates, sums and rules. Rows have the form of the decision files.
"""
import random

from asking import write_rows
from plain_texts import Texts, text_arguments
from records import CITIES, FLAGS, NAMES, NUMBERS, Records, spaced

UNKNOWN = ["unknown", "not given", "none of these", "not mentioned", "no such value"]


class Maker(Records):
    def one(self):
        """What a field holds, which field holds something, whether a field has a value, whether there is such a field."""
        r = self.random
        makers = self.fields(r.choice([2, 3, 3, 4, 5, 6, 8]))
        record = {name: make() for name, make in makers.items()}
        questions = [self.of_field(record, makers) for _ in range(r.choice([2, 3, 4]))]
        return self.shown(record, r.randrange(10)), questions

    def of_field(self, record, makers):
        """One question about a field; `makers` make other values for each."""
        r, names = self.random, list(record)
        name = r.choice(names)
        asked, value, form = spaced(name), record[name], r.random()
        others = [str(other) for other in record.values() if other != value]
        fresh = str(makers[name]())
        if form < 0.35:
            wrong = r.sample(others, min(len(others), r.choice([1, 2, 3, 5]))) + [fresh] * r.choice([0, 1])
            if r.random() < 0.15:
                wrong.append(r.choice(UNKNOWN))
            return self.choice([f"What is the {asked}?", f"{asked.capitalize()}?", f"Which {asked} is given?", f"Read the {asked}.", f"Find the {asked}.", f"Which value does {asked} have?"], str(value), wrong)
        if form < 0.5:
            wrong = [spaced(other) for other in r.sample(names, min(len(names), r.choice([2, 3, 5]))) if record[other] != value]
            return self.choice([f"Which field is {value}?", f"Where does it say {value}?", f"What has the value {value}?", f"{value} is the value of which field?"], asked, wrong)
        true = r.random() < 0.5
        if form < 0.9:
            # most often what another field holds, or the right value would be known by being there
            wrong = r.choice(others) if others and r.random() < 0.7 else fresh
            said = value if true or str(value) == wrong else wrong
            return self.both([f"Is the {asked} {said}?", f"The {asked} is {said}", f"Does {asked} have the value {said}?", f"{said} is the {asked}"],
                             [f"Is the {asked} something else than {said}?", f"The {asked} is not {said}", f"Does {asked} differ from {said}?"], str(said) == str(value))[0]
        said = asked if true else spaced(next(iter(self.fields(1))))
        return self.noul([f"Is the {said} given?", f"Is there a field {said}?", f"The record has a {said}", f"Does it say what the {said} is?"], said in map(spaced, names))

    def numbers(self):
        """Numbers held against a bound or against each other."""
        r = self.random
        most = 10 ** r.choice([1, 2, 2, 3, 4])
        names = r.sample(NUMBERS if r.random() < 0.6 else self.words, r.choice([2, 2, 3, 4]))
        record = dict(zip(names, r.sample(range(most), len(names))))
        questions = []
        for _ in range(r.choice([2, 3])):
            name, other = r.sample(names, 2)
            value, form = record[name], r.random()
            bound = max(0, value + r.choice([-1, 1]) * r.choice([1, max(1, most // 10), max(1, most // 3)]))
            asked = spaced(name)
            if form < 0.3:
                questions.append(self.noul([f"Is the {asked} above {bound}?", f"The {asked} is more than {bound}", f"Is {asked} over {bound}?", f"{asked} is greater than {bound}"], value > bound))
            elif form < 0.6:
                questions.append(self.noul([f"Is the {asked} below {bound}?", f"The {asked} is less than {bound}", f"Is {asked} under {bound}?", f"{asked} is smaller than {bound}"], value < bound))
            elif form < 0.85:
                questions.append(self.noul([f"Is {asked} larger than {spaced(other)}?", f"The {asked} is higher than the {spaced(other)}", f"{asked} exceeds {spaced(other)}"], value > record[other]))
            else:
                high = r.random() < 0.5
                best = (max if high else min)(names, key=record.get)
                questions.append(self.choice([f"Which is {w}?" for w in (["largest", "highest", "the greatest number"] if high else ["smallest", "lowest", "the least number"])], spaced(best), map(spaced, names)))
        return self.shown(record, r.randrange(10)), questions

    def flags(self):
        """Yes and no in a record: true and false, or in words."""
        r = self.random
        names = r.sample(FLAGS, r.choice([1, 2, 3, 4]))
        yes, no = r.choice([(True, False), (True, False), ("yes", "no"), ("Yes", "No"), ("true", "false"), (1, 0)])
        held = {name: r.random() < 0.5 for name in names}
        record = {(f"is_{name}" if r.random() < 0.2 else name): yes if on else no for name, on in held.items()}
        if r.random() < 0.6:
            for name, make in self.fields(2).items():
                record.setdefault(name, make())
        items = list(record.items())
        r.shuffle(items)
        thing = r.choice(["it", "this", "the item", "the record", "the account", "the order"])
        questions = [question for name in r.sample(names, min(2, len(names))) for question in
                     self.both([f"Is {thing} {name}?", f"{thing.capitalize()} is {name}", f"{name.capitalize()}?"], [f"Is {thing} not {name}?", f"{thing.capitalize()} is not {name}", f"Is it still not {name}?"], held[name])[:1]]
        return self.shown(dict(items), r.randrange(9)), questions

    def rows(self):
        """A small table: a cell, the row with a value, the row with the largest or least."""
        r = self.random
        key = r.choice(["name", "id", "item", "city"])
        count = r.choice([2, 3, 3, 4, 4, 5, 6, 8])
        keys = r.sample({"name": NAMES, "city": CITIES}.get(key, self.words), count)
        makers = {name: make for name, make in self.fields(r.choice([1, 2, 3])).items() if name != key}
        table = [{key: k, **{name: make() for name, make in makers.items()}} for k in keys]
        questions = [question for _ in range(r.choice([2, 3])) if (question := self.of_cell(table, key, r.choice(list(makers) or [key])))]
        if not questions:
            return self.one()
        style = r.random()
        if style < 0.5:
            return (table if style < 0.3 else {r.choice(["rows", "items", "data", "list"]): table}), questions
        columns = list(table[0])
        joint = r.choice([" | ", ", ", ",", "\t", ";"])
        return "\n".join(joint.join(map(str, line)) for line in [columns, *([row[name] for name in columns] for row in table)]), questions

    def of_cell(self, table, key, name):
        """One question about a column, whose rows are called by `key`; none where the column has one value only, or several rows the one asked for."""
        r, keys = self.random, [row[key] for row in table]
        asked, row = spaced(name), r.choice(table)
        column = [str(other[name]) for other in table if other[name] != row[name]]
        form = r.random()
        if name == key or not column:
            return None
        if form < 0.4:
            return self.choice([f"What is the {asked} of {row[key]}?", f"{asked.capitalize()} of {row[key]}?", f"Which {asked} does {row[key]} have?"], str(row[name]), column)
        if form < 0.6:
            said = row[name] if r.random() < 0.5 else r.choice(column)
            return self.noul([f"Is the {asked} of {row[key]} {said}?", f"{row[key]} has the {asked} {said}", f"The {asked} of {row[key]} is {said}"], str(said) == str(row[name]))
        if form < 0.8 or not isinstance(row[name], int):
            if len(column) < len(table) - 1:
                return None
            return self.choice([f"Which {key} has the {asked} {row[name]}?", f"Whose {asked} is {row[name]}?", f"Which row has {asked} {row[name]}?"], row[key], keys)
        high = r.random() < 0.5
        first, second, *_ = sorted(table, key=lambda other: other[name], reverse=high)
        if first[name] == second[name]:
            return None
        return self.choice([f"Which {key} has the {'highest' if high else 'lowest'} {asked}?", f"Where is the {asked} {'largest' if high else 'smallest'}?"], first[key], keys)

    def order(self):
        """What stands where in a list."""
        r = self.random
        things = r.sample(r.choice([NAMES, CITIES, self.words]), r.choice([3, 3, 4, 5, 6]))
        at, questions = r.randrange(len(things)), []
        place = r.choice([["first", "second", "third", "fourth", "fifth", "sixth"], [f"number {i + 1}" for i in range(6)]])
        questions.append(self.choice([f"Which is {place[at]}?", f"What stands {place[at]}?", f"The {place[at]} entry?"] if at else ["Which comes first?", "What is at the start?"], things[at], things))
        one, other = r.sample(range(len(things)), 2)
        questions.append(self.noul([f"Does {things[one]} come before {things[other]}?", f"{things[one]} stands before {things[other]}"], one < other))
        foreign = r.choice(self.words)
        said = r.choice([things[one], foreign])
        questions.append(self.noul([f"Is {said} in the list?", f"The list has {said}", f"{said} is listed"], said in things))
        style = r.random()
        if style < 0.4:
            return {r.choice(["queue", "list", "ranking", "order", "agenda"]): things}, questions
        return (", ".join(things) if style < 0.6 else "\n".join(f"{i + 1}. {thing}" if style < 0.8 else thing for i, thing in enumerate(things))), questions

    def row(self):
        return self.row_of("record", self.random.choices([self.one, self.numbers, self.flags, self.rows, self.order], [4, 4, 1, 4, 1])[0])


def main():
    args = text_arguments(40_000, 20_000_000).parse_args()
    random_ = random.Random(0)
    words = list(dict.fromkeys(word.lower() for word in Texts(args.data / "pretrain-wiki-00.txt.xz", args.limit).words[100:6000]))
    maker = Maker(words, random_)
    write_rows(args.out, (maker.row() for _ in range(args.rows)))


if __name__ == "__main__":
    main()
