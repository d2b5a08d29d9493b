"""Gives a byte-level BPE tokenizer words of its own as single tokens, each with and without a space before it.

New merges come last, so that what was one token stays the same token.
"""
import json

from tokenizers import Tokenizer

SPACE = "\u0120"


def extend(tokenizer, words):
    """A tokenizer that has each of the lower-case words as one token; the ids of all old tokens are the same."""
    for _ in range(8):
        content = json.loads(tokenizer.to_str())
        vocabulary, merges = content["model"]["vocab"], content["model"]["merges"]
        # A special token that the model's own vocabulary lacks is given the id behind it, whatever id the file says.
        vocabulary.update({token["content"]: token["id"] for token in content["added_tokens"]})
        following = 1 + max(tokenizer.get_vocab().values())
        missing = [(form, encoded.tokens) for form in (word for word in words for word in (word, f" {word}"))
                   if len((encoded := tokenizer.encode(form, add_special_tokens=False)).ids) > 1]
        if not missing:
            return tokenizer
        for _, pieces in missing:
            start = pieces[0]
            for piece in pieces[1:]:
                if [start, piece] not in merges[-2000:]:
                    merges.append([start, piece])
                start += piece
                if start not in vocabulary:
                    vocabulary[start] = following
                    following += 1
        tokenizer = Tokenizer.from_str(json.dumps(content))
    raise ValueError(f"{missing[:5]} are still several tokens")


def id_of(tokenizer, word, spaced=True):
    """Id of a word that is one token."""
    (found,) = tokenizer.encode(f" {word}" if spaced else word, add_special_tokens=False).ids
    return found
