"""Makes questions on what reaches the desks of a firm: who should get a message, what it is about, and whether a case is settled."""
import desk_kinds as kinds
from asking import Asking, slots, table, write_made
from message_kinds import CALLED

SLOTS = slots(kinds.SLOTS)
GREETINGS, ENDS = ["Hello, ", "Hi, ", "Dear team, ", "Good morning, ", "Hi there. ", "Hello! "], [" Thanks.", " Best regards", " Please reply soon.", " Thank you in advance!", " Regards, {name}", " Cheers", " Please help."]


class Maker(Asking):
    def __init__(self, random_):
        super().__init__(random_)
        self.desks = table(kinds.DESKS)
        self.forms = {self.desk: 2, self.case: 1}

    def filled(self, text):
        return text.format(**{slot: self.random.choice(values) for slot, values in SLOTS.items()})

    def desk(self):
        """A message and the desk that it is for, among others."""
        r = self.random
        names, does, gets = right = r.choice(self.desks)
        others = r.sample([one for one in self.desks if one is not right], r.choice([1, 2, 2, 3, 3, 4, 5]))
        text = " ".join(self.filled(piece) + ("" if piece[-1] == "?" else r.choice([".", ".", "!"])) for piece in r.sample(gets, r.choice([1, 1, 1, 2])))
        if (how := r.random()) < 0.25:
            text = r.choice(GREETINGS) + text
        elif how < 0.4:
            text += self.filled(r.choice(ENDS))
        style = r.choice(["names", "described", "described", "described", "only described"])
        named = [(r.choice(["a", "team", "q"]) + str(r.randrange(10, 99)) if style == "only described" else r.choice(one[0]), None if style == "names" else r.choice(one[1])) for one in [right, *others]]
        # where two have one name, the right one keeps it
        listed = list(dict(reversed(named)).items())
        r.shuffle(listed)
        ask = [{"type": "choice", "instructions": r.choice(kinds.DESK_ASKED), "criteria": dict(listed), "gold": named[0][0]}] if len(listed) > 1 else []
        [one] = r.sample([right, *others], 1)
        asked = [question.format(n=r.choice(["the ", "our "]) + r.choice(one[0]) if r.random() < 0.5 else r.choice(one[0]), d=r.choice(one[1]), c=r.choice(CALLED)) for question in kinds.DESK_IS]
        ask.append(self.noul(asked, one is right))
        return self.shown(text.lower() if r.random() < 0.08 else text, ["text", "body", "message", "request", "description"], ["Message", "Email", "Ticket", "Request", "Customer"]), r.sample(ask, r.choice([1, 1, len(ask)]))

    def case(self):
        """A talk between an agent and a customer, and whether the case is settled by its last words."""
        r, gold = self.random, self.random.random() < 0.5
        agent, customer = r.choice(kinds.SPEAKERS)
        turns = [(customer, r.choice(kinds.OPENED))] if r.random() < 0.5 else []
        for _ in range(r.choice([0, 0, 1, 2])):
            turns += [(agent, r.choice(kinds.STEPS)), (customer, r.choice(kinds.NOT_DONE))]
        # what comes last counts, also where it was thought to be over before
        if not gold and r.random() < 0.15:
            turns += [(agent, r.choice(kinds.STEPS)), (customer, r.choice(kinds.DONE)), (agent, "Anything else?"), (customer, r.choice(["Wait, it just stopped again", "Oh no, the error is back", "Yes, my other problem is still there", "Hold on, now it is gone again"]))]
        else:
            turns += [(agent, r.choice(kinds.STEPS)), (customer, r.choice(kinds.DONE if gold else kinds.NOT_DONE))]
        if gold and r.random() < 0.2:
            turns.append((agent, r.choice(["Glad to hear that", "You're welcome", "Happy to help, bye", "Great, I close the ticket"])))
        said = [(who, self.filled(text)) for who, text in turns]
        state = [{"from": who.lower(), "text": text} for who, text in said] if r.random() < 0.1 else "\n".join(f"{who}: {text}{'' if text[-1] == '?' else r.choice(['.', '.', '!', ''])}" for who, text in said)
        return state, r.sample([self.sided(kinds.STATES, gold), *self.both(kinds.SOLVED, kinds.UNSOLVED, gold)], r.choice([1, 2]))


if __name__ == "__main__":
    write_made(Maker, "desk", 24000, 11)
