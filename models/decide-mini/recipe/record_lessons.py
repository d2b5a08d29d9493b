"""The easiest questions about records, which a model must be able to answer before others teach it anything.

Looking up takes several layers that each are of use only with the others. On the mixture of `record_questions.py` a model stayed near chance for seven
minutes; of which value belongs to which name it had most within three, of the cells of a table within eighteen, after ten of nothing to be seen.
"""
from records import CITIES, NAMES, NUMBERS, Records, spaced


class Lessons(Records):
    def __init__(self, words, random_, lesson):
        super().__init__(words, random_)
        self.forms = {"belonging": [self.belonging], "cells": [self.cell] * 4 + [self.belonging], "numbers": [self.larger, self.larger, self.belonging]}[lesson]

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
        if r.random() < 0.4:
            return [{key: k, name: value} for k, value in held.items()], questions
        joint = r.choice([" | ", ", "])
        return "\n".join(joint.join(map(str, line)) for line in [(key, name), *held.items()]), questions

    def row(self):
        form = self.random.choice(self.forms)
        state, questions = form()
        return {"source": f"lesson/{form.__name__}", "family": "record", "state": state, "questions": [q for q in questions if q]}
