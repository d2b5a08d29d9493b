"""The easiest questions about records, which a model must be able to answer before others teach it anything.

Looking up takes several layers that each are of use only with the others. On the mixture of `record_questions.py` a model stayed near chance for seven
minutes; of which value belongs to which name it had most within three, of the cells of a table within eighteen, after ten of nothing to be seen.
"""
from records import CITIES, NAMES, NUMBERS, Records, spaced


class Lessons(Records):
    def __init__(self, words, random_, lesson):
        super().__init__(words, random_)
        self.forms = {"belonging": [self.belonging], "cells": [self.cell] * 4 + [self.belonging], "numbers": [self.larger, self.larger, self.belonging],
                      "tables": [self.table] * 4 + [self.cell]}[lesson]

    def belonging(self):
        """Two to four fields of single names, and nothing asked but which of their values belongs to which."""
        r, makers = self.random, {}
        while len(makers) < r.choice([2, 2, 2, 3, 3, 4]):
            makers.setdefault(*self.field())
        record, questions = {name: make() for name, make in makers.items()}, []
        for name in [*r.sample(list(record), 2), r.choice(list(record))]:
            value, others = record[name], [str(other) for other in record.values() if other != record[name]]
            if others and r.random() < 0.5:
                questions.append(self.choice([f"What is the {name}?", f"{name.capitalize()}?"], str(value), others))
            elif others:
                said = r.choice([str(value), r.choice(others)])
                questions.append(self.noul([f"Is the {name} {said}?", f"The {name} is {said}"], said == str(value)))
        return self.shown(record, r.choice([0, 3, 4, 5, 6])), questions

    def larger(self):
        """One or two numbers of one or two digits, held against others of that size."""
        r = self.random
        most = r.choice([10, 10, 100])
        names = r.sample(NUMBERS if r.random() < 0.7 else self.words, r.choice([1, 1, 2]))
        record, questions = {name: r.randrange(most) for name in names}, []
        for _ in range(4):
            name, above = r.choice(names), r.random() < 0.5
            bound = r.choice([number for number in range(most) if number != record[name]])
            asked = [f"Is the {name} above {bound}?", f"The {name} is more than {bound}", f"{name} is greater than {bound}"] if above else [
                f"Is the {name} below {bound}?", f"The {name} is less than {bound}", f"{name} is smaller than {bound}"]
            questions.append({"type": "noul", "instructions": r.choice(asked), "gold": (record[name] > bound) == above})
        return self.shown(record, r.choice([0, 3, 4, 5])), questions

    def cell(self):
        """Two or three rows of a name and a value: what belongs to whom."""
        r = self.random
        key = r.choice(["name", "id", "item", "city"])
        keys = r.sample({"name": NAMES, "city": CITIES}.get(key, self.words), r.choice([2, 2, 3]))
        (name, make), = self.fields(1).items()
        held = {k: make() for k in keys}
        asked, questions = spaced(name), []
        if name == key or len(set(map(str, held.values()))) < len(held):
            return self.cell()
        for _ in range(3):
            row, form = r.choice(keys), r.random()
            value, others = str(held[row]), [str(other) for k, other in held.items() if k != row]
            if form < 0.5:
                questions.append(self.choice([f"What is the {asked} of {row}?", f"{asked.capitalize()} of {row}?"], value, others))
            elif form < 0.75:
                questions.append(self.choice([f"Which {key} has the {asked} {value}?", f"Whose {asked} is {value}?"], row, keys))
            else:
                said = r.choice([value, r.choice(others)])
                questions.append({"type": "noul", "instructions": f"Is the {asked} of {row} {said}?", "gold": said == value})
        return self.written([{key: k, name: value} for k, value in held.items()]), questions

    def table(self):
        """Two to seven rows of up to four columns: cells, who has what, which is most, and one held against another."""
        r = self.random
        key, keys = self.keys(r.choice([2, 2, 3, 3, 4, 5, 7]))
        makers = {name: make for name, make in self.fields(r.choice([1, 1, 2, 3])).items() if name != key}
        amount, most = r.choice(NUMBERS), r.choice([10, 100, 1000])
        makers[amount] = lambda: r.randrange(most)
        names = r.sample(list(makers), len(makers))
        rows = {k: {key: k, **{name: makers[name]() for name in names}} for k in keys}
        questions = []
        for _ in range(4):
            name, form, (row, other) = r.choice(names), r.random(), r.sample(keys, 2)
            asked, value, column = spaced(name), rows[row][name], [rows[k][name] for k in keys]
            others = [str(v) for v in column if v != value]
            if form < 0.35 and others:
                questions.append(self.choice([f"What is the {asked} of {row}?", f"{asked.capitalize()} of {row}?", f"Read the {asked} of {row}.", f"Which {asked} does {row} have?", f"{asked.capitalize()} for {row}?"], str(value), others))
            elif form < 0.55 and others:
                said = r.choice([str(value), r.choice(others)])
                questions.append(self.noul([f"Is the {asked} of {row} {said}?", f"{row} has the {asked} {said}", f"The {asked} of {row} is {said}"], said == str(value)))
            elif form < 0.7 and column.count(value) == 1:
                questions.append(self.choice([f"Which {key} has the {asked} {value}?", f"Whose {asked} is {value}?"], row, keys))
            elif form < 0.85 and rows[row][amount] != rows[other][amount]:
                questions.append(self.noul([f"Is the {amount} of {row} higher than that of {other}?", f"{row} has a higher {amount} than {other}", f"{row} has more {amount} than {other}"], rows[row][amount] > rows[other][amount]))
            else:
                high = r.random() < 0.5
                best, next_ = sorted(keys, key=lambda k: rows[k][amount], reverse=high)[:2]
                if rows[best][amount] != rows[next_][amount]:
                    word = r.choice(["highest", "largest"] if high else ["lowest", "smallest"])
                    questions.append(self.choice([f"Which {key} has the {word} {amount}?", f"{key.capitalize()} with the {word} {amount}?", f"Where is {amount} at its {'maximum' if high else 'minimum'}?"], best, keys))
        return self.written(list(rows.values())), questions

    def keys(self, count):
        """What the rows of a table are called: people, places, numbered things, or things of one or two words."""
        r = self.random
        key = r.choice(["name", "id", "item", "city", "task"])
        if key in ("id", "task"):
            start, step, letters = r.randrange(900), r.choice([1, 2, 3, 10]), r.choice(["T-", "TX", "A", "ORD-", ""])
            return key, [f"{letters}{start + step * i}" for i in range(count)]
        named = {"name": NAMES, "city": CITIES}.get(key)
        return key, r.sample(named, count) if named else [" ".join(r.sample(self.words, r.choice([1, 2]))) for _ in range(count)]

    def written(self, rows):
        """A table as JSON, bare or under a name, or as lines of text."""
        r = self.random
        if (style := r.random()) < 0.5:
            return rows if style < 0.3 else {r.choice(["rows", "items", "tasks", "list"]): rows}
        columns, joint = list(rows[0]), r.choice([" | ", ", "])
        if style > 0.85:
            return " ".join(f"{row[columns[0]]}: {', '.join(f'{name} {row[name]}' for name in columns[1:])}." for row in rows)
        return "\n".join(joint.join(map(str, line)) for line in [columns, *(row.values() for row in rows)])

    def row(self):
        return self.row_of("lesson", self.random.choice(self.forms))
