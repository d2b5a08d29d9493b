"""The tokens of a state and of a question in the layout `tree-1` (LAYOUT.md)."""
from tokenizers import Tokenizer

from rendering import as_text, branch_text, level_ids, option_texts

# what a row of a question belongs to: the branch, leaf k (from 1), or the decide token
BRANCH, DECIDE = 0, 255


def open_tokenizer(path):
    """A tokenizer that neither cuts nor pads, and for which the name of a special token inside a text is text."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


class Layout:
    """Builds token rows; `encoded` maps each text to its ids."""

    def __init__(self, tokenizer, encoded=None):
        self.tokenizer, self.encoded = tokenizer, {} if encoded is None else encoded
        self.start, self.end, self.decide = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]", "[MASK]"))

    def encode_all(self, rows):
        """Encodes every text of some rows at once."""
        texts = {text: None for row in rows for question in row["questions"] for text in (branch_text(question), *option_texts(question))}
        texts.update((as_text(row["state"]), None) for row in rows)
        for text, encoding in zip(texts, self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)):
            self.encoded[text] = encoding.ids

    def ids(self, text):
        if text not in self.encoded:
            self.encoded[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return self.encoded[text]

    def trunk(self, state_ids):
        return [self.start, *state_ids, self.end]

    def question(self, question, trunk):
        """Tokens, positions, levels and parts of a question's rows behind a trunk of `trunk` tokens: branch, leaves, decide."""
        branch = [*self.ids(branch_text(question)), self.end]
        first = trunk + len(branch)
        tokens, positions = list(branch), list(range(trunk, first))
        levels, parts = [0] * len(branch), [BRANCH] * len(branch)
        for number, (text, level) in enumerate(zip(option_texts(question), level_ids(question)), 1):
            leaf = [*self.ids(text), self.end]
            tokens += leaf
            positions += range(first, first + len(leaf))
            levels += [0] * (len(leaf) - 1) + [level]
            parts += [number] * len(leaf)
        return tokens + [self.decide], positions + [first], levels + [0], parts + [DECIDE]
