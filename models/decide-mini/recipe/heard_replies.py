"""Replies that people gave to a question of yes or no, from task dialogues and the talk in books, without the word that says which."""
import lzma
import re
from collections import Counter

ASKED = re.compile(r"(?:^|[.!?,;] )(?!(?:(?:And|But|So|Then|Well|Now|Oh),? )?(?:What|Who|Whom|Whose|How|Why|Where|When|Which|Eh)\b)([A-Za-z][^.?!;\"“”]{9,150}\?)$", re.I)
REPLIED = re.compile(r"(?:(?:oh|well|ah|why|um+),? )?(?:(?P<yes>yes|yeah|yep|yup|sure|of course|certainly|ay|aye|indeed|absolutely)|no|nope|nah|not at all)\b"
                     r"(?:, (?:sir|madam|ma'am|thanks|thank you|please|indeed|sure|of course|my \w+|M\w+\. \w+)\b)*(?:[,;.!]+ ?|[—–-]+ ?| )(?P<rest>[A-Za-z0-9][^\"“”]{8,160})$", re.I)
# what is not asked for an answer, replies that say thanks and no more, and those that are only begun
MANNERS = re.compile(r"\b(?:anything|something|nothing|else|further|assist\w*|any other|more help|other help)\b", re.I)
BROKEN = re.compile(r"(?:more|longer|one|doubt|problem|matter|way|of|is|are|was|and|the|but|for|as|that I|that you|said|cried|I said)\b", re.I)
SPOKEN = re.compile(r"[\"“]([^\"“”]{4,500})[\"”]|(?<!\w)'((?:[^'\"]|(?<=\w)'(?=\w)){4,500})'(?!\w)")
SAME_QUESTION = 40


def turns(document):
    """Neighbouring lines of different speakers."""
    lines = [line.split(": ", 1) for line in document.strip().split("\n") if ": " in line]
    return ((first[1], second[1]) for first, second in zip(lines, lines[1:]) if first[0] != second[0])


def talk(document):
    """Neighbouring speeches between quotes; one that a "said she" interrupts is one."""
    speeches, last = [], -10_000
    for found in SPOKEN.finditer(document):
        said, near = " ".join((found[1] or found[2]).split()), document[last : found.start()] if found.start() - last < 120 else None
        if speeches and near is not None and "\n\n" not in near and near.strip():
            speeches[-1] = f"{speeches[-1]} {said}"
        else:
            speeches.append(said if near is not None else f"... {said}")
        last = found.end()
    return zip(speeches, speeches[1:])


def all_talk(data):
    """Everything said, with what is said next."""
    for part, pairs in (("dialogue", turns), ("books", talk)):
        for path in sorted(data.glob(f"pretrain-{part}-*.txt.xz")):
            for document in lzma.open(path, "rt").read().split("<|doc|>"):
                yield from pairs(document)


def heard_replies(data):
    """Questions and replies (question, the reply without yes or no) by whether the reply meant yes. A question that is asked everywhere
    stands for itself a few times only."""
    found, seen = {True: [], False: []}, Counter()
    for first, second in all_talk(data):
        asked, replied = ASKED.search(first.strip()), REPLIED.match(second.strip())
        if not asked or not replied or BROKEN.match(replied["rest"]) or MANNERS.search(asked[1]):
            continue
        meant, key = bool(replied["yes"]), " ".join(asked[1].lower().split()[:4])
        seen[key, meant] += 1
        if seen[key, meant] <= SAME_QUESTION:
            found[meant].append((asked[1][:1].upper() + asked[1][1:], replied["rest"][:1].upper() + replied["rest"][1:]))
    return found
