"""Training batches of scenes, edits and combinations, composed and worded on the fly."""
import numpy as np
import torch

from captions import say_combination, say_edit, say_scene
from tasks import random_combination, random_pair, random_scene
from text_encoder import LENGTH
from train_tokenizer import AFTER, BEFORE, PAD


class Batches:
    def __init__(self, renderer, latents, tokenizer, device, seed):
        self.renderer, self.latents, self.device = renderer, latents, device
        self.tokenizer, self.padding = tokenizer, tokenizer.token_to_id(PAD)
        self.rng = np.random.default_rng(seed)

    def encode(self, scenes):
        return self.latents.encode(np.stack([self.renderer.render(scene) for scene in scenes])).to(self.device)

    def tokenize(self, captions):
        texts = [f"{BEFORE}{caption}{AFTER}" for caption in captions]
        ids = [encoded.ids for encoded in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        lengths = [len(row) for row in ids]
        if max(lengths) > LENGTH:
            raise ValueError(f"a caption of {max(lengths)} tokens: {texts[int(np.argmax(lengths))]}")
        rows = [row + [self.padding] * (LENGTH - len(row)) for row in ids]
        return torch.tensor(rows, device=self.device), torch.tensor(lengths, device=self.device)

    def batch(self, captions, target, *references, dropout=0.1):
        """(ids, lengths, target tokens, reference tokens...); a share of the captions is empty, for guidance."""
        said = ["" if self.rng.random() < dropout else caption for caption in captions]
        return (*self.tokenize(said), self.encode(target), *map(self.encode, references))

    def say(self, scene):
        """A caption that the text encoder has room for; three coloured objects can be said at more length than that."""
        for _ in range(50):
            caption = say_scene(self.rng, scene)
            if len(self.tokenizer.encode(caption, add_special_tokens=False).ids) <= LENGTH - 2:
                return caption
        raise ValueError(f"no caption is short enough for {scene}")

    def draw_scenes(self, count):
        scenes = [random_scene(self.rng) for _ in range(count)]
        return self.batch([self.say(scene) for scene in scenes], scenes)

    def draw_edits(self, count):
        before, after, facts, kinds = zip(*(random_pair(self.rng) for _ in range(count)))
        return self.batch([say_edit(self.rng, *said) for said in zip(kinds, facts)], after, before)

    def draw_combinations(self, count):
        first, second, after, facts = zip(*(random_combination(self.rng) for _ in range(count)))
        return self.batch([say_combination(self.rng, said) for said in facts], after, first, second)
