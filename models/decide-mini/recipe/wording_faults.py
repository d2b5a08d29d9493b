"""Small faults as generated and translated sentences have them: one fault makes a sentence a little unnatural, several make it very much so."""
SMALL = ["a", "the", "an", "is", "are", "in", "of", "to", "for", "and", "with", "on", "at", "it", "that", "there", "has", "by"]
FORMS = [("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("a", "an"), ("this", "these"), ("in", "at"), ("on", "in"), ("of", "for"), ("to", "for"), ("with", "by"),
         ("it", "its"), ("they", "their"), ("he", "his"), ("you", "your"), ("who", "which"), ("much", "many"), ("good", "well")]
OTHER_FORM = {one: other for pair in FORMS for one, other in (pair, pair[::-1])}


def left_out(words, r):
    """A small word is missing, or any where there is no small one."""
    small = [at for at, word in enumerate(words) if word.lower() in SMALL] or range(len(words))
    at = r.choice(small)
    return words[:at] + words[at + 1 :]


def put_in(words, r):
    at = r.randrange(len(words) + 1)
    return words[:at] + [r.choice(SMALL)] + words[at:]


def twice(words, r):
    """One to three words are said again, at once or at the end."""
    at = r.randrange(len(words))
    part = words[at : at + r.choice([1, 1, 2, 3])]
    return words[: at + len(part)] + part + words[at + len(part) :] if r.random() < 0.7 else words + part


def other_form(words, r):
    """A word in another form: are for is, serves for serve."""
    known = [at for at, word in enumerate(words) if word.lower() in OTHER_FORM]
    at = r.choice(known) if known and r.random() < 0.7 else r.randrange(len(words))
    word = words[at]
    new = OTHER_FORM.get(word.lower()) or (word[:-1] if word.endswith("s") else f"{word}s" if word[-1:].isalpha() else word)
    return words[:at] + [new] + words[at + 1 :]


def exchanged(words, r):
    """Two neighbours change places."""
    at = r.randrange(max(1, len(words) - 1))
    return words[:at] + words[at : at + 2][::-1] + words[at + 2 :]


def moved(words, r):
    """A part stands somewhere else."""
    at, size = r.randrange(len(words)), r.choice([1, 2, 2, 3])
    rest = words[:at] + words[at + size :]
    to = r.randrange(len(rest) + 1)
    return rest[:to] + words[at : at + size] + rest[to:]


def cut(words, r):
    """Begins or ends in the middle."""
    size = max(1, len(words) // 4)
    return words[size:] if r.random() < 0.5 else words[:-size]


FAULTS = [left_out, left_out, put_in, twice, twice, other_form, other_form, exchanged, moved, cut]
# too short to tell
FEWEST = 3


def with_faults(words, count, r, others):
    """`words` with that many faults; now and then one is a word or an end of `others`."""
    for _ in range(count):
        kind = r.random()
        if kind < 0.12:
            at = r.randrange(len(words))
            words = words[:at] + [r.choice(others)] + words[at + 1 :]
        elif kind < 0.2:
            words = words[: max(2, len(words) * 2 // 3)] + others[len(others) * 2 // 3 :]
        else:
            worse = r.choice(FAULTS)(words, r)
            words = worse if len(worse) >= FEWEST else put_in(words, r)
    return words
