"""A BERT encoder read with tree attention, and the scorer that makes one logit of every option (LAYOUT.md)."""
import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

from products import attend, feed_forward, half, linear, normed

WAVES = 6


@dataclass
class Config:
    vocab_size: int = 30522
    hidden_size: int = 384
    num_hidden_layers: int = 6
    num_attention_heads: int = 12
    intermediate_size: int = 1536
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    level_steps: int = 16

    @classmethod
    def read(cls, folder):
        """The fields of a `config.json` that this model has."""
        found = json.loads((Path(folder) / "config.json").read_text())
        found = {**found, **found.get("tree", {})}
        return cls(**{field.name: found[field.name] for field in fields(cls) if field.name in found})

    def written(self):
        """The `config.json` of a bundle."""
        found = asdict(self)
        steps = found.pop("level_steps")
        return {"architectures": ["TesseraTreeDecider"], "model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute", "pad_token_id": 0,
                "torch_dtype": "float32", **found, "tree": {"start_token": "[CLS]", "end_token": "[SEP]", "decide_token": "[MASK]",
                                                         "words": {"noul": "judge", "choice": "choose", "score": "rate"}, "level_steps": steps}}


def level_waves(steps, waves=WAVES):
    """Smooth functions of a level's place [steps + 2, waves], nothing for row 0: levels near each other share what is learnt."""
    place = torch.arange(steps + 1) / steps
    table = torch.cos(math.pi * place[:, None] * torch.arange(waves)[None])
    return torch.cat([torch.zeros(1, waves), table])


class Layer(nn.Module):
    """One post-norm layer of BERT."""

    def __init__(self, config):
        super().__init__()
        width, self.heads, self.eps = config.hidden_size, config.num_attention_heads, config.layer_norm_eps
        self.query, self.key, self.value, self.attended = (nn.Linear(width, width) for _ in range(4))
        self.attended_norm, self.norm = (nn.LayerNorm(width, eps=self.eps) for _ in range(2))
        self.up, self.down = nn.Linear(width, config.intermediate_size), nn.Linear(config.intermediate_size, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        qkv = linear(x, torch.cat([self.query.weight, self.key.weight, self.value.weight]), torch.cat([self.query.bias, self.key.bias, self.value.bias]))
        q, k, v = qkv.view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = attend(q, k, v, mask).transpose(1, 2).reshape(batch, length, width)
        x = normed(x + linear(seen, self.attended.weight, self.attended.bias), self.attended_norm)
        return normed(x + feed_forward(x, self.up, self.down), self.norm)


# names in this file, and in a checkpoint of BertModel
PARTS = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "attended": "attention.output.dense",
         "attended_norm": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm": "output.LayerNorm"}


class TreeDecider(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config, width = config, config.hidden_size
        self.words = nn.Embedding(config.vocab_size, width)
        self.places = nn.Embedding(config.max_position_embeddings, width)
        self.segments = nn.Embedding(config.type_vocab_size, width)
        self.norm = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.levels = nn.Parameter(torch.zeros(WAVES, width))
        self.register_buffer("waves", level_waves(config.level_steps), persistent=False)
        self.option, self.decide, self.score = nn.Linear(width, width), nn.Linear(width, width, bias=False), nn.Linear(width, 1, bias=False)

    def forward(self, tokens, positions, segments, levels, mask, decides, ends, owner):
        """Logits [options of all questions]; `decides` and `ends` are places in the flattened batch, `owner` each option's question."""
        x, mask = half(self.embed(tokens, positions, segments, levels), mask)
        for layer in self.layers:
            x = layer(x, mask)
        x = x.flatten(0, 1).float()
        return self.read(x[decides], x[ends], owner)

    def embed(self, tokens, positions, segments, levels):
        """The input of the layers [batch, length, width]."""
        x = self.words(tokens) + self.places(positions) + self.segments(segments)
        # a product, since adding up the gradients of few rows that are looked up often takes a GPU longer than a layer does
        return self.norm(x + F.one_hot(levels.long(), len(self.waves)).float() @ (self.waves @ self.levels))

    def read(self, decides, ends, owner):
        """The scorer: what an option's end says, in the light of the question as a whole."""
        return self.score(F.gelu(self.option(ends) + self.decide(decides)[owner])).squeeze(-1)

    def named(self):
        """The weights under the names of a bundle."""
        own = {"words.weight": "embeddings.word_embeddings.weight", "places.weight": "embeddings.position_embeddings.weight", "segments.weight": "embeddings.token_type_embeddings.weight",
               "norm.weight": "embeddings.LayerNorm.weight", "norm.bias": "embeddings.LayerNorm.bias", "option.weight": "decide.option.weight", "option.bias": "decide.option.bias",
               "decide.weight": "decide.context.weight", "score.weight": "decide.score.weight"}
        for name, weight in self.state_dict().items():
            if name == "levels":
                yield name, "decide.level_embeddings", self.waves @ weight
            elif name.startswith("layers."):
                _, number, part, kind = name.split(".")
                yield name, f"encoder.layer.{number}.{PARTS[part]}.{kind}", weight
            else:
                yield name, own[name], weight

    def load_encoder(self, path):
        """Takes the encoder, and the head where there is one, from a checkpoint's safetensors."""
        found = {name.removeprefix("bert."): weight.float() for name, weight in load_file(path).items()}
        with torch.no_grad():
            for name, outer, _ in list(self.named()):
                if outer == "decide.level_embeddings" and outer in found:
                    self.levels.copy_(torch.linalg.lstsq(self.waves, found[outer]).solution)
                elif outer in found:
                    self.get_parameter(name).copy_(found[outer])
                elif not outer.startswith("decide."):
                    raise KeyError(outer)


def fresh(config, base=None, seed=0):
    """A model with the encoder of `base` and a new head."""
    torch.manual_seed(seed)
    model = TreeDecider(config)
    if base:
        model.load_encoder(Path(base) / "model.safetensors")
    return model
