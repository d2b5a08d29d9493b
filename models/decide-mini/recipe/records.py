"""Small records for questions about them: fields with names and values, half of them any words, in the ways people write records down."""
from asking import Asking

NAMES = "Adam, Aisha, Ana, Ben, Carla, Chen, David, Elena, Emma, Farid, Grace, Hiro, Ivan, Julia, Karim, Leila, Lena, Marco, Maria, Nina, Noah, Olga, Omar, Paul, Priya, Rosa, Sam, Tom, Uwe, Wei, Yara, Zoe".split(", ")
CITIES = "Athens, Austin, Berlin, Boston, Cairo, Dublin, Hanoi, Lagos, Lima, Lisbon, London, Lyon, Madrid, Nairobi, Osaka, Oslo, Paris, Perth, Porto, Prague, Quito, Riga, Rome, Seattle, Tokyo, Toronto, Turin, Vienna, Warsaw".split(", ")
WORDS = {
    "status": "open, closed, pending, shipped, delivered, cancelled, paid, draft, active, blocked, waiting, done", "priority": "low, normal, high, critical", "level": "info, warning, error, debug",
    "color": "red, blue, green, black, white, yellow, grey, brown", "size": "small, medium, large, extra large", "plan": "free, basic, pro, team, enterprise", "role": "admin, editor, viewer, guest, owner",
    "method": "card, cash, transfer, invoice, voucher", "team": "sales, support, billing, design, legal, research", "language": "English, French, German, Spanish, Arabic, Japanese", "day": "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday",
    "month": "January, February, March, April, May, June, July, August, September, October, November, December", "type": "report, invoice, letter, photo, contract, offer", "country": "Spain, France, Japan, Kenya, Brazil, Canada, Norway, India",
    "category": "food, tools, travel, books, toys, clothes, garden", "animal": "cat, dog, horse, goat, rabbit, duck", "state": "new, used, broken, repaired, lost", "weather": "sunny, rainy, windy, snowy, foggy",
}
NUMBERS = "age, total, price, quantity, amount, weight, height, score, rating, count, stock, pages, hours, minutes, days, seats, errors, visits, points, year, temperature, distance, speed, discount, copies".split(", ")
FLAGS = "paid, active, verified, locked, urgent, shipped, archived, public, insured, complete, approved, visible, enabled, refunded, signed, full, closed".split(", ")
PEOPLE = "name, owner, author, customer, manager, driver, sender, recipient, contact, teacher, patient, winner".split(", ")
PLACES = "city, destination, origin, branch, office, station, warehouse".split(", ")


def spaced(name):
    return name.replace("_", " ")


class Records(Asking):
    def __init__(self, words, random_):
        super().__init__(random_)
        self.words = words

    def field(self):
        """A name and what makes values for it; half of the fields have any word for both."""
        r = self.random
        kind = r.random()
        word = lambda: r.choice(self.words)
        if kind < 0.35:
            return word(), word
        if kind < 0.5:
            return word(), lambda: r.randrange(10 ** r.choice([1, 2, 3]))
        if kind < 0.7:
            name = r.choice(list(WORDS))
            values = WORDS[name].split(", ")
            return name, lambda: r.choice(values)
        if kind < 0.82:
            name, most = r.choice(NUMBERS), 10 ** r.choice([1, 2, 2, 3])
            return name, lambda: r.randrange(most)
        if kind < 0.88:
            return r.choice(["id", "code", "number", "reference", "serial"]), lambda: f"{r.choice('ABCDEFTX')}{r.choice(['', '-'])}{r.randrange(10, 9999)}"
        return (r.choice(PEOPLE), lambda: r.choice(NAMES)) if kind < 0.95 else (r.choice(PLACES), lambda: r.choice(CITIES))

    def fields(self, count):
        """`count` names, each with what makes its values; some names of two words."""
        r, found = self.random, {}
        while len(found) < count:
            name, value = self.field()
            if r.random() < 0.2:
                name = f"{r.choice(self.words).lower()}_{name}"
            found.setdefault(name, value)
        return found

    def shown(self, record, style):
        """A record in one of the ways people write records."""
        r = self.random
        if style < 3:
            return dict(record)
        if style == 9:
            told = [f"{r.choice(['The', 'Its'])} {spaced(name)} is {value}." for name, value in record.items()]
            return " ".join(told)
        form, joint = [("{}: {}", "\n"), ("{}: {}", ", "), ("{} = {}", "\n"), ("{}={}", "; "), ("- {}: {}", "\n"), ("{} | {}", "\n")][style - 3]
        upper = r.random() < 0.5
        named = lambda name: spaced(name).capitalize() if upper else name
        return joint.join(form.format(named(name), value) for name, value in record.items())
