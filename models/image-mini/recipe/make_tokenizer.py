"""Writes the tokenizer: words, letters in their places, and objects.

Its normalizer does what needs no learning. All that an object is called, one or several of it, becomes one token, and four for its quarters. A letter in quotes becomes a letter in a column: where a word of that length stands is known.
What is left are words; those that captions don't say are one unknown token.
"""
import argparse
import json
import re
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

from captions import words_said
from nouns import forms
from scenes import CELL, GLYPHS, LONGEST_WORD, OBJECTS, columns

PAD, UNKNOWN = "<pad>", "<unknown>"
BEFORE = "<|im_start|>user\n"
AFTER = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
HERE = Path(__file__).parent
SYNONYMS = json.loads((HERE / "synonyms.json").read_text())
# Characters that no prompt has stand for letters, places in a word and objects.
FIRST_LETTER, FIRST_PLACE, FIRST_OBJECT, FIRST_QUARTER = 0xF0000, 0xF0100, 0x100000, 0x101000
QUARTERS = 4
# The columns of narrow letters count from here.
NARROW = 20
TWO_LINES, SOMEWHERE = chr(0xF0200), chr(0xF0201)
PUNCTUATION = ",.:;!?'\"()-"


def letter(glyph):
    return chr(FIRST_LETTER + GLYPHS.index(glyph))


def place(length, at, first):
    """The mark behind letter `at` (from 1) of a word: its column, and whether the word is the first of two lines."""
    edges, wide = columns("x" * length)
    return chr(FIRST_PLACE + (100 if first else 0) + (edges[at - 1] // CELL if wide else NARROW + 2 * edges[at - 1] // CELL))


def places(first):
    return sorted({place(length, at, first) for length in range(1, LONGEST_WORD + 1) for at in range(1, length + 1)})


LETTERS = f"[{letter(GLYPHS[0])}-{letter(GLYPHS[-1])}]"
PLACES = f"[{places(False)[0]}-{places(True)[-1]}]"


def marks_of(name):
    """The characters that stand for an object: one for what it is, four for what its quarters look like."""
    number = list(OBJECTS).index(name)
    return chr(FIRST_OBJECT + number) + "".join(chr(FIRST_QUARTER + QUARTERS * number + at) for at in range(QUARTERS))


def steps():
    """(pattern, what stands for it) in order."""
    inside = r'(?=[^"]*"(?:[^"]*"[^"]*")*[^"]*$)'
    yield "[\u201c\u201d]", '"'
    yield r'"(?=[^"]*"[^"]*"[^"]*"[^"]*$)', f'{TWO_LINES}"'
    for glyph in GLYPHS:
        yield re.escape(glyph) + inside, letter(glyph) + SOMEWHERE
    for length in range(1, LONGEST_WORD + 1):
        for at in range(length, 0, -1):
            behind = rf'(?<="(?:{LETTERS}{SOMEWHERE}){{{at - 1}}}{LETTERS}){SOMEWHERE}(?=(?:{LETTERS}{PLACES}){{{length - at}}}"'
            yield behind + r'[^"]*"[^"]+"[^"]*$)', place(length, at, True)
            yield behind + r'[^"]*$)', place(length, at, False)
    yield "lower", None
    for name in sorted(OBJECTS, key=lambda name: -len(name)):
        said = rf"(?:{'|'.join(sorted(forms(name, SYNONYMS.get(name, [])), key=len, reverse=True))})(?![a-z0-9])"
        yield rf"(?<![a-z0-9]){said}", marks_of(name)


def make():
    tokens = [PAD, UNKNOWN, BEFORE, AFTER, TWO_LINES, *PUNCTUATION, *sorted(words_said())]
    tokens += [letter(glyph) + mark for glyph in GLYPHS for first in (False, True) for mark in places(first)]
    tokens += [mark for name in OBJECTS for mark in marks_of(name)]
    tokenizer = Tokenizer(models.WordPiece({token: at for at, token in enumerate(tokens)}, unk_token=UNKNOWN, continuing_subword_prefix="##"))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Lowercase() if content is None else normalizers.Replace(Regex(pattern), content) for pattern, content in steps()])
    pieces = f"{LETTERS}(?:{PLACES}|{SOMEWHERE})|[{chr(FIRST_OBJECT)}-{chr(0x10FFFD)}]|{TWO_LINES}|[{re.escape(PUNCTUATION)}]"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\s+"), "removed"), pre_tokenizers.Split(Regex(pieces), "isolated")])
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in (PAD, BEFORE, AFTER)])
    return tokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = make()
    tokenizer.save(str(args.out / "tokenizer.json"), pretty=False)
    print(f"{tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
