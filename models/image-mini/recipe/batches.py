"""Training batches of scenes, edits and combinations, composed and worded on the fly."""
import torch

from captions import say_combination, say_edit, say_scene
from content import AT
from make_tokenizer import AFTER, BEFORE, PAD
from tasks import random_combination, random_pair, random_scene
from text_encoder import LENGTH

# The encoder's errors on a picture to edit, as noise of at most these deviations: that of a token and that of all tokens, so that a background
# which is read a little wrong comes out in the colour that it must have been.
BLUR, SHIFT = 0.25, 0.25
# Of what it is not sure of it finds the mean, so those come up to so much smaller.
FADED = 0.7
# Share of the steps whose pictures are read by the encoder itself, where there is one.
READ = 0.7


class Batches:
    def __init__(self, contents, tokenizer, device, rng, reader=None):
        """With a reader, most pictures to edit are read by the encoder."""
        self.reader, self.contents, self.device, self.rng = reader, contents, device, rng
        self.tokenizer, self.padding = tokenizer, tokenizer.token_to_id(PAD)

    def encode(self, scenes):
        return self.contents.encode(scenes).to(self.device)

    def length_of(self, caption):
        return len(self.tokenizer.encode(f"{BEFORE}{caption}{AFTER}", add_special_tokens=False).ids)

    def tokenize(self, captions):
        texts = [f"{BEFORE}{caption}{AFTER}" for caption in captions]
        ids = [encoded.ids for encoded in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        lengths = [len(row) for row in ids]
        if max(lengths) > LENGTH:
            raise ValueError(f"a caption of {max(lengths)} tokens")
        rows = [row + [self.padding] * (LENGTH - len(row)) for row in ids]
        return torch.tensor(rows, device=self.device), torch.tensor(lengths, device=self.device)

    def short(self, say):
        """A caption that the text encoder has room for."""
        for _ in range(50):
            caption = say()
            if self.length_of(caption) <= LENGTH:
                return caption
        raise ValueError(f"no caption is short enough: {caption}")

    def references(self, scenes):
        if self.reader and self.rng.random() < READ:
            return self.reader.read(scenes)
        found = self.encode(scenes)
        share = lambda: torch.rand(len(found), 1, 1, device=self.device)
        for field in ("style", "look"):
            found[..., AT[field]] *= 1 - FADED * share()
        return found + BLUR * share() * torch.randn_like(found) + SHIFT * share() * torch.randn_like(found[:, :1])

    def draw_scenes(self, count):
        scenes = [random_scene(self.rng) for _ in range(count)]
        return *self.tokenize([self.short(lambda: say_scene(self.rng, scene)) for scene in scenes]), self.encode(scenes)

    def draw_edits(self, count):
        before, after, facts, kinds = zip(*(random_pair(self.rng) for _ in range(count)))
        captions = [self.short(lambda: say_edit(self.rng, *said)) for said in zip(kinds, facts)]
        return *self.tokenize(captions), self.encode(after), self.references(before)

    def draw_combinations(self, count):
        first, second, after, facts = zip(*(random_combination(self.rng) for _ in range(count)))
        captions = [self.short(lambda: say_combination(self.rng, said)) for said in facts]
        return *self.tokenize(captions), self.encode(after), self.references(first), self.references(second)
