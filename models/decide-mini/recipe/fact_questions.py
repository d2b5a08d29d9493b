"""Makes questions on what a short text or record says: numbers and dates against limits, who did what to whom, days, orders, reasons, what was and what was not done.

Every form draws its facts, says them in one of several ways and asks what follows from them and what does not; claims on them are asked about as questions, as
claims beside their evidence, and as a choice of what fits.
"""
from asking import Asking, begun, write_made

NAMES = "Anna Ben Carl Dora Emil Fay Gus Hana Ivan Joan Kim Leo Mara Nils Olga Paul Rosa Sami Tess Umar Vera Will Yuki Zoe Marcus Ingrid Pedro Aisha".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
CITIES = {"Oslo": "Norway", "Madrid": "Spain", "Seville": "Spain", "Lyon": "France", "Paris": "France", "Munich": "Germany", "Hamburg": "Germany", "Osaka": "Japan", "Kyoto": "Japan", "Rome": "Italy", "Turin": "Italy", "Lima": "Peru", "Cairo": "Egypt", "Porto": "Portugal",
          "Boston": "the United States", "Denver": "the United States", "Toronto": "Canada", "Mumbai": "India", "Delhi": "India", "Leeds": "England", "Dublin": "Ireland", "Sydney": "Australia", "Nairobi": "Kenya", "Warsaw": "Poland", "Athens": "Greece", "Vienna": "Austria"}
PLACES = "shop;library;museum;pool;clinic;bakery;office;pharmacy;gym;post office;garage;cinema".split(";")
BUILT = "bridge;tower;church;dam;tunnel;school;stadium;station;hotel;factory;lighthouse;mill".split(";")
GROUPS = "company;school;club;team;village;ship;hospital;choir;farm;agency".split(";")
MEMBERS = {"company": "employees", "school": "pupils", "club": "members", "team": "players", "village": "inhabitants", "ship": "sailors", "hospital": "nurses", "choir": "singers", "farm": "cows", "agency": "clerks"}
BEAT = [("beat", "was beaten by"), ("won against", "lost to"), ("defeated", "was defeated by"), ("finished ahead of", "finished behind"), ("overtook", "was overtaken by")]
DEEDS = [("hired", "was hired by"), ("paid", "was paid by"), ("taught", "was taught by"), ("invited", "was invited by"), ("called", "was called by"), ("followed", "was followed by"), ("helped", "was helped by"), ("warned", "was warned by"), ("thanked", "was thanked by"), ("sued", "was sued by")]
ORDERS = [("taller", "tallest", "shortest", "shorter"), ("older", "oldest", "youngest", "younger"), ("faster", "fastest", "slowest", "slower"), ("heavier", "heaviest", "lightest", "lighter"), ("richer", "richest", "poorest", "poorer"), ("stronger", "strongest", "weakest", "weaker")]
WHYS = {"bad weather": "mist;a storm;heavy snow;ice on the road;strong wind;a thunderstorm;floods", "a technical fault": "a broken engine;a software error;a flat battery;a power cut;a burst pipe;a faulty signal", "people on strike": "a strike of the drivers;a walkout of the crew;a strike at the port",
        "an illness": "a cold of the singer;the flu of the teacher;a fever of the pilot", "a lack of money": "an empty budget;unpaid bills;missing funds"}
LATE = ["The {t} to {c} was delayed because of {r}.", "Because of {r}, the {t} to {c} left two hours late.", "{r} kept the {t} to {c} from leaving on time.", "The {t} to {c} was late. The reason was {r}."]
CALLED_OFF = ["The {t} in {c} was cancelled because of {r}.", "Due to {r}, the {t} in {c} did not take place.", "There was no {t} in {c}; {r} was the cause."]
GADGETS = "pump;oven;freezer;boiler;server;engine;greenhouse;tank;motor;reactor".split(";")
ITEMS = "lamp;chair;rug;phone;jacket;tent;book;clock;bike;desk;kettle;guitar".split(";")
TASKS = "the report;the contract;the invoice;the form;the letter;the plan;the survey;the budget".split(";")


class Maker(Asking):
    def __init__(self, random_):
        super().__init__(random_)
        self.forms = {form: 1 for form in (self.opened, self.hours, self.size, self.contest, self.ordered, self.reason, self.adult, self.reading, self.order, self.lives, self.deadline, self.task, self.share)}

    def facts(self, state, facts):
        """Questions on a state from a list of (statement or question, whether it holds): half of them hold where both kinds are there."""
        r = self.random
        held, denied = [one for one in facts if one[1]], [one for one in facts if not one[1]]
        chosen = [r.choice(side) for side in (held, denied) if side]
        r.shuffle(chosen)
        if isinstance(state, str) and r.random() < 0.25:
            claim, gold = next((one for one in chosen if not one[0].endswith("?")), (None, None))
            if claim:
                return self.claim(state, claim, gold)
        if held and denied and r.random() < 0.12:
            statements = [[text for text, _ in side if not text.endswith("?")] for side in (held, denied)]
            if all(statements):
                return state, [self.choice(["Which of these is true?", "What does the text say?", "Pick what fits.", "Which statement holds?"], r.choice(statements[0]), r.sample(statements[1], min(len(statements[1]), r.choice([1, 2, 3]))))]
        return state, [self.noul([text], gold) for text, gold in chosen[: r.choice([1, 2])]]

    def claim(self, text, claim, gold):
        """A claim beside its evidence."""
        r = self.random
        one, other = r.choice([("evidence", "claim"), ("text", "statement"), ("source", "assertion"), ("facts", "sentence"), ("report", "headline")])
        claim = claim.rstrip(".") + "."
        state = {one: text, other: claim} if r.random() < 0.5 else f"{one.capitalize()}: {text}\n{other.capitalize()}: {claim}"
        if r.random() < 0.5:
            return state, [self.noul([f"Is the {other} right, going by the {one}?", f"The {one} supports the {other}", f"Does the {one} bear the {other} out?", f"Given the {one}, does the {other} hold?"], gold)]
        yes, no = r.choice([("supported", "refuted"), ("true", "false"), ("backed", "contradicted"), ("correct", "wrong")])
        return state, [self.choice([f"What is the {other}?", f"Check the {other}.", "Verdict"], (yes, no)[0 if gold else 1], [yes, no])]

    def names(self, count):
        return self.random.sample(NAMES, count)

    def near(self, number):
        """Another number, near or far."""
        r = self.random
        return max(1, r.choice([number + r.randrange(1, 9), number - r.randrange(1, 9), number * 2, number // 2, number * 10, number // 10 or number + 3]))

    def opened(self):
        r, what, year = self.random, self.random.choice(BUILT), self.random.randrange(1820, 2024)
        metres, other = r.randrange(20, 900), r.randrange(1820, 2024)
        verb = r.choice(["opened", "built", "finished", "completed"])
        decade, wrong = year // 10 * 10, r.choice([year // 10 * 10 + 10, year // 10 * 10 - 10, year // 10 * 10 - 30])
        text = r.choice(["The {w}, {v} in {y}, has a length of {m} metres.", "{v} in {y}, the {w} measures {m} metres.", "The {m}-metre {w} was {v} in {y}."]).format(w=what, v=verb, y=year, m=metres)
        text = begun(text)
        facts = [(f"The {what} was {verb} in the {decade}s", True), (f"The {what} was {verb} in the {wrong}s", False), (f"The {what} was {verb} before {other}", year < other), (f"The {what} was {verb} after {other}", year > other),
                 (f"The {what} is longer than {(limit := self.near(metres))} metres", metres > limit), (f"The {what} is shorter than {limit} metres", metres < limit), (f"Was the {what} {verb} in the {(year - 1) // 100 + 1}th century?", True),
                 (f"Was the {what} {verb} in the {(year - 1) // 100 + 2}{'st' if (year - 1) // 100 + 2 == 21 else 'th'} century?", False), (f"The {what} is {metres} metres long", True), (f"The {what} is {limit} metres long", limit == metres)]
        if (year - 1) // 100 + 1 == 21:
            facts = [one for one in facts if "century" not in one[0]]
        return self.facts(text, [one for one in facts if other != year or "before" not in one[0] and "after" not in one[0]])

    def hours(self):
        r, place = self.random, self.random.choice(PLACES)
        first, last = sorted(r.sample(range(7), 2))
        opens, closes = r.randrange(6, 12), r.randrange(15, 23)
        inside, outside = r.randrange(first, last + 1), r.choice([day for day in range(7) if not first <= day <= last] or [None])
        text = r.choice(["The {p} is open from {a} to {b}, {o} to {c}.", "Our {p} lets visitors in between {o} and {c} o'clock, {a} to {b}.", "{a} to {b}, {o}:00 to {c}:00: that is when the {p} is open.", "Hours of the {p}: {a}-{b} {o}-{c}"]).format(p=place, a=DAYS[first], b=DAYS[last], o=opens, c=closes)
        hour = r.choice([hour for hour in range(5, 24) if hour not in (opens, closes)])
        facts = [(f"Is the {place} open on {DAYS[inside]}s?", True), (f"The {place} is closed on {DAYS[inside]}s", False), (f"Can I go to the {place} at {hour} on a {DAYS[inside]}?", opens < hour < closes)]
        if outside is not None:
            facts += [(f"Is the {place} open on {DAYS[outside]}s?", False), (f"The {place} is closed on {DAYS[outside]}s", True), (f"Can I go to the {place} on a {DAYS[outside]}?", False)]
        return self.facts(text, facts)

    def size(self):
        r, group = self.random, self.random.choice(GROUPS)
        members, count, places = MEMBERS[group], self.random.choice([self.random.randrange(3, 13), self.random.randrange(13, 900)]), self.random.randrange(2, 9)
        shown = WORDS[count] if count < 13 and r.random() < 0.6 else str(count)
        text = r.choice(["{n} {m} belong to the {g}, in {p} places.", "There are {n} {m} at the {g}.", "The {g} counts {n} {m}.", "With its {n} {m}, the {g} is well known."]).format(g=group, n=shown, m=members, p=WORDS[places])
        limit = self.near(count)
        facts = [(f"The {group} has more than {limit} {members}", count > limit), (f"The {group} has fewer than {limit} {members}", count < limit), (f"The {group} has at least {limit} {members}", count >= limit), (f"The {group} has only {limit} {members}", count == limit), (f"The {group} has {count} {members}", True),
                 (f"Are there over {limit} {members} at the {group}?", count > limit), (f"The {group} has no {members}", False), (f"There are some {members} at the {group}", True)]
        return self.facts(text, facts)

    def contest(self):
        r, (a, b, c) = self.random, self.names(3)
        did, was = r.choice([*BEAT, *DEEDS])
        text = r.choice([f"{a} {did} {b}.", f"{b} {was} {a}.", f"{a} {did} {b}, and {c} watched.", f"It was {a} who {did} {b}.", f"{c} says that {b} {was} {a}."])
        facts = [(f"{a} {did} {b}", True), (f"{b} {did} {a}", False), (f"{b} {was} {a}", True), (f"{a} {was} {b}", False), (f"{c} {did} {a}", False), (f"{c} {was} {a}", False)]
        if (did, was) in BEAT:
            facts += [(f"Did {a} win?", True), (f"Did {b} win?", False), (f"{b} was better than {a}", False), (f"{a} was better than {b}", True)]
        return self.facts(text, facts)

    def ordered(self):
        r, (a, b, c) = self.random, self.names(3)
        more, most, least, less = r.choice(ORDERS)
        text = r.choice([f"{a} is {more} than {b}, who is {more} than {c}.", f"{b} is {less} than {a}. {c} is {less} than {b}.", f"{b} is {more} than {c} but {less} than {a}.", f"{a} is {more} than {b}. {c} is {less} than {b}."])
        facts = [(f"{a} is {more} than {c}", True), (f"{c} is {more} than {a}", False), (f"{a} is the {most}", True), (f"{c} is the {most}", False), (f"{b} is the {most}", False), (f"Is {c} the {least}?", True), (f"Is {b} the {least}?", False), (f"{c} is {less} than {a}", True), (f"Is {a} {less} than {b}?", False), (f"Is {b} {more} than {c}?", True)]
        return self.facts(text, facts)

    def reason(self):
        r, kind = self.random, self.random.choice(list(WHYS))
        cause, city, off = r.choice(WHYS[kind].split(";")), r.choice(list(CITIES)), r.random() < 0.5
        thing = r.choice(["concert", "match", "class", "market"] if off else ["flight", "train", "bus", "ferry"])
        text = r.choice(CALLED_OFF if off else LATE).format(t=thing, c=city, r=cause)
        text = begun(text)
        wrong = r.choice([one for one in WHYS if one != kind])
        facts = [(f"Was {kind} the reason?", True), (f"Was {wrong} the reason?", False), (f"The cause was {kind}", True), (f"The cause was {wrong}", False)]
        facts += [(f"Did the {thing} take place?", False), (f"The {thing} was called off", True)] if off else [(f"Was the {thing} on time?", False), (f"The {thing} was late", True), (f"Did the {thing} leave when it should?", False)]
        return self.facts(text, facts)

    def adult(self):
        r, (name, other) = self.random, self.names(2)
        age, than = r.randrange(4, 80), r.randrange(4, 80)
        city = r.choice(list(CITIES))
        state = {"person": name, "age": age, "town": city} if r.random() < 0.6 else r.choice([f"{name} is {age} and lives in {city}.", f"{name}, {age}, {city}", f"{name} from {city} turned {age} last week."])
        facts = [(f"Is {name} an adult?", age >= 18), (f"{name} is a minor", age < 18), (f"Is {name} under {than}?", age < than), (f"Is {name} older than {than}?", age > than), (f"{name} is {age} years old", True), (f"Is {name} a pensioner over 65?", age > 65), (f"May {name} vote at 18?", age >= 18)]
        return self.facts(state, facts)

    def reading(self):
        r, what = self.random, self.random.choice(GADGETS)
        kind, unit = r.choice([("temperature", "degrees"), ("pressure", "bar"), ("load", "percent"), ("level", "litres"), ("speed", "turns")])
        limit = r.randrange(20, 100)
        value = max(1, limit + r.choice([-1, 1]) * r.randrange(1, 40))
        alarm = r.random() < 0.5
        state = {"machine": f"{what}-{r.randrange(1, 9)}", kind: value, "maximum": limit, "warning": alarm} if r.random() < 0.6 else f"The {kind} of the {what} is {value} {unit}; the maximum is {limit}. The warning light is {'on' if alarm else 'off'}."
        facts = [(f"Is the {kind} above the maximum?", value > limit), (f"The {kind} is below the maximum", value < limit), ("Is there a warning?", alarm), ("No warning is shown", not alarm), (f"The {kind} is too high", value > limit), (f"Is the {kind} within what is allowed?", value <= limit), (f"Is the {kind} over {limit}?", value > limit)]
        return self.facts(state, facts)

    def order(self):
        r = self.random
        status, paid, total = r.choice(["delivered", "shipped", "cancelled", "pending", "returned"]), r.random() < 0.5, r.randrange(5, 400)
        limit, item = self.near(total), r.choice(ITEMS)
        state = {"number": r.randrange(1000, 9999), "article": item, "state": status, "sum": total, "payment": "received" if paid else "open"}
        if r.random() < 0.3:
            state = f"Order of one {item}: {status}, {total} in all, {'paid' if paid else 'not paid yet'}."
        facts = [("Did the goods reach the customer?", status in ("delivered", "returned")), ("The order was called off", status == "cancelled"), ("Does the customer still owe money?", not paid), ("Has the customer paid?", paid), (f"Is the sum over {limit}?", total > limit), (f"The order costs less than {limit}", total < limit), ("Did the goods come back?", status == "returned"),
                 (f"Was a {item} ordered?", True), (f"Was a {r.choice([one for one in ITEMS if one != item])} ordered?", False), ("Is the parcel on its way?", status == "shipped"), ("Nothing has been sent yet", status == "pending")]
        return self.facts(state, facts if status != "cancelled" else [one for one in facts if "sent yet" not in one[0]])

    def lives(self):
        r, (a, b), (one, two, three) = self.random, self.names(2), self.random.sample(list(CITIES), 3)
        text = r.choice([f"{a} moved from {one} to {two}.", f"{a} left {one} and now lives in {two}.", f"{a}, who grew up in {one}, has a flat in {two} today."])
        if r.random() < 0.4:
            text += f" {b} lives in {three}."
        facts = [(f"{a} lives in {two} now", True), (f"{a} still lives in {one}", False), (f"Does {a} live in {CITIES[two]}?", True), (f"{a} used to live in {one}", True), (f"{a} has moved", True), (f"{a} came from {two}", False)]
        if CITIES[one] != CITIES[two]:
            facts += [(f"Does {a} live in {CITIES[one]}?", False), (f"{a} went to another country", True)]
        else:
            facts += [(f"{a} stayed in the same country", True)]
        return self.facts(text, facts)

    def deadline(self):
        r, (name, *_) = self.random, self.names(1)
        due, done = r.sample(range(1, 28), 2)
        month, task = r.choice(MONTHS), r.choice(TASKS)
        text = r.choice([f"{name} had to hand in {task} by {month} {due}. It came on {month} {done}.", f"The deadline for {task} was {due} {month}; {name} sent it on {done} {month}.", f"{name} finished {task} on {month} {done}. It was due on {month} {due}."])
        late = done > due
        facts = [(f"Was {name} late?", late), (f"{name} was in time", not late), (f"{task.capitalize()} came after the deadline", late), (f"Did {name} keep the deadline?", not late), (f"{name} was early", not late), (f"{task.capitalize()} was never handed in", False), (f"{name} handed in {task}", True)]
        return self.facts(text, facts)

    def task(self):
        r, (a, b), task = self.random, self.names(2), self.random.choice(TASKS)
        done, text = r.choice([(True, f"{a} has already sent {task}."), (False, f"{a} has not sent {task} yet."), (False, f"{a} forgot to send {task}."), (True, f"{a} managed to send {task}."), (False, f"{a} failed to send {task}."), (False, f"{a} refused to send {task}."), (False, f"{a} was going to send {task}, but {b} held it back."),
                               (True, f"{a} sent {task}, though {b} was against it."), (False, f"Nobody has sent {task}, not even {a}."), (True, f"{a} remembered to send {task}."), (False, f"If {a} had sent {task}, {b} would know."), (False, f"{a} promised {b} to send {task} tomorrow."), (True, f"{a} did not forget to send {task}."), (False, f"{b} asked {a} to send {task}, in vain.")])
        facts = [(f"{a} sent {task}", done), (f"Has {task} been sent?", done), (f"{task.capitalize()} has not been sent", not done), (f"Is {task} still to be sent?", not done), (f"{a} has not sent {task}", not done)]
        return self.facts(text, facts)

    def share(self):
        r, group = self.random, self.random.choice(GROUPS)
        members = MEMBERS[group]
        way = r.choice([("All {m} of the {g} {d}.", 3), ("None of the {m} {d}.", 0), ("Some of the {m} of the {g} {d}, others do not.", 1), ("Most of the {m} {d}, a few do not.", 2), ("Every one of the {m} {d}.", 3), ("Not one of the {m} of the {g} {d}.", 0), ("Only a few of the {m} {d}.", 1), ("Nearly all of the {m} {d}, but not all.", 2)])
        does = r.choice(["vote in the spring", "live nearby", "work at night", "speak French", "come by train", "eat in the hall", "own a car", "know the rules"]) if members != "cows" else r.choice(["stay outside in winter", "give milk", "graze on the hill"])
        count = way[1]
        facts = [(f"All of the {members} {does}", count == 3), (f"None of the {members} {does}", count == 0), (f"At least some of the {members} {does}", count > 0), (f"Do more than half of the {members} {does}?", count > 1), (f"Are there {members} who do not {does}?", count < 3), (f"Not a single one of the {members} would {does}", count == 0)]
        return self.facts(way[0].format(m=members, g=group, d=does), facts)


if __name__ == "__main__":
    write_made(Maker, "facts", 26000, 12)
