"""Writes the weights that a training starts from, start.pt: noise that can spell and has the objects' appearances, or a smaller bundle.

What is taken over from a bundle computes the same as there: new dimensions of the text encoder come before the old ones and are empty
but for the appearances, new blocks of the transformer add nothing yet. Words that the bundle didn't know begin as the mean of those of
their kind.
"""
import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

import text_encoder as words
import transformer as dit
from appearance import CODE, appearances, forms_of, write_appearances
from extend_tokenizer import extend, id_of
from known_words import known_words
from nouns import plural
from principal import Latents
from scenes import OBJECTS
from spelling_start import start_spelling

LETTERS = "abcdefghijklmnopqrstuvwxyz\u0120"


def build(tokenizer):
    encoder = words.TextEncoder(words.Config(vocab_size=1 + max(tokenizer.get_vocab().values())))
    width = len(words.TAPS) * encoder.config.hidden_size
    return nn.ModuleDict({"text": encoder, "image": dit.Flux2Transformer(dit.Config(joint_attention_dim=width))})


def widen_text(own, old):
    """The old encoder's weights in the wider one: what reads the residual stream ignores its new dimensions, what writes it leaves them."""
    added = own["norm.weight"].numel() - old["norm.weight"].numel()
    keep = (old["norm.weight"].numel() / own["norm.weight"].numel()) ** 0.5
    for name, value in old.items():
        if name == "embed_tokens.weight":
            own[name][:, :added] = 0
            own[name][:len(value), added:] = value
        elif name.endswith(("layernorm.weight", "norm.weight")) and value.numel() == own[name].numel() - added:
            # The mean square is over more dimensions now.
            own[name][:] = keep
            own[name][added:] = keep * value
        elif name.endswith(("o_proj.weight", "down_proj.weight")):
            own[name].zero_()[added:] = value
        elif value.ndim == 2:
            own[name].zero_()[:, added:] = value
        else:
            own[name][:] = value


def widen_image(own, old, added):
    """The old transformer's weights; blocks that it lacks keep their first layer and add nothing."""
    for name, value in own.items():
        if name == "context_embedder.weight":
            split = lambda weight: weight.unflatten(1, (len(words.TAPS), -1))
            split(value.zero_())[:, :, added:] = split(old[name])
        elif name in old:
            value[:] = old[name]
        elif name.endswith("to_out.weight"):
            value.zero_()


def place_new_words(embedding, tokenizer, old_size):
    """New names stand where the old ones do, each with what tells it from the others."""
    names = list(OBJECTS)
    old = [name for name in names if id_of(tokenizer, name) < old_size and id_of(tokenizer, plural(name)) < old_size]
    for form, say in ((0, str), (2, plural)):
        known = embedding[[id_of(tokenizer, say(name)) for name in old]]
        torch.manual_seed(0)
        for name in names:
            spaced, bare = forms_of(tokenizer, name)[form:form + 2]
            own = known.mean(0) + known.std(0) * torch.randn(embedding.shape[1])
            if name not in old:
                embedding[spaced] = own
            embedding[bare] = embedding[spaced]


def place_digits(embedding, tokenizer):
    """In quotes a digit counts as a letter does."""
    letters = embedding[[tokenizer.token_to_id(letter) for letter in LETTERS[:26]]]
    for digit in "0123456789":
        embedding[tokenizer.token_to_id(digit)] = letters.mean(0) + letters.std(0) * torch.randn(embedding.shape[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with latents.npz and tokenizer.json, which is extended")
    parser.add_argument("--bundle", type=Path, help="go on from this bundle")
    args = parser.parse_args()
    torch.manual_seed(0)
    path = args.work / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(args.bundle / "tokenizer" / "tokenizer.json" if args.bundle else path))
    old_size = 1 + max(tokenizer.get_vocab().values())
    tokenizer = extend(tokenizer, [word for word in known_words() if word.isalpha()])
    tokenizer.save(str(path), pretty=False)
    model = build(tokenizer)
    if args.bundle:
        text = load_file(args.bundle / "text_encoder" / "model.safetensors")
        image = load_file(args.bundle / "transformer" / "diffusion_pytorch_model.safetensors")
        with torch.no_grad():
            widen_text(model["text"].state_dict(), {name.removeprefix("model."): value.float() for name, value in text.items()})
            widen_image(model["image"].state_dict(), {name: value.float() for name, value in image.items()}, CODE)
            place_new_words(model["text"].embed_tokens.weight, tokenizer, old_size)
            place_digits(model["text"].embed_tokens.weight, tokenizer)
    else:
        start_spelling(model["text"], [tokenizer.token_to_id(letter) for letter in LETTERS + "0123456789"], tokenizer.token_to_id('"'))
    write_appearances(model["text"].embed_tokens.weight, tokenizer, appearances(args.data, Latents(args.work / "latents.npz")))
    torch.save(model.state_dict(), args.work / "start.pt")
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters, {len(tokenizer.get_vocab())} tokens")


if __name__ == "__main__":
    main()
