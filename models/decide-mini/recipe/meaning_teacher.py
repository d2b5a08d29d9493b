"""Vectors of short texts from the base encoder as it was published: the mean of its last layer, whose angle says how near two meanings are."""
import torch
import torch.nn.functional as F

from model import Config, fresh
from tree import open_tokenizer

LONGEST = 64


class MeaningTeacher:
    def __init__(self, base):
        self.model, self.tokenizer = fresh(Config.read(base), base).eval(), open_tokenizer(base / "tokenizer.json")
        self.start, self.end = (self.tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))

    @torch.no_grad()
    def vectors(self, texts, size=64):
        """Unit vectors [texts, width]."""
        ids = [[self.start, *found.ids[:LONGEST], self.end] for found in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        vectors = torch.zeros(len(ids), self.model.config.hidden_size)
        for first in range(0, len(order), size):
            chosen = order[first : first + size]
            vectors[chosen] = self.run([ids[at] for at in chosen])
        return vectors.numpy()

    def run(self, ids):
        model, length = self.model, max(map(len, ids))
        tokens, shown = torch.zeros(len(ids), length, dtype=torch.long), torch.zeros(len(ids), length)
        for row, found in enumerate(ids):
            tokens[row, : len(found)], shown[row, : len(found)] = torch.tensor(found), 1
        x = model.norm(model.words(tokens) + model.places(torch.arange(length)) + model.segments.weight[0])
        for layer in model.layers:
            x = layer(x, shown.bool()[:, None, None, :])
        return F.normalize((x * shown[..., None]).sum(1), dim=-1)
