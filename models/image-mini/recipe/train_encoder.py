"""Trains the encoder of the autoencoder for a given time: to read off a picture what `content.py` says of its scene; restartable from its own checkpoint."""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import codes
from autoencoder import Config, Decoder, Encoder, in_range, initialize
from content import AT, CHANNELS, GLYPH_CODES, Contents, pack, unpack
from looks import Looks
from scenes import Renderer
from tasks import random_combination, random_pair, random_scene, random_words
from train_decoder import changed, crowded, cut, page_of_letters
from training import Training

# Pictures to edit were often stored with loss or are a decoder's own: noise on them.
NOISE = 0.06
# What a step in a field counts for; sharper than squares alone for what tells objects from one another.
NEAR = 0.5
# The background is three numbers of a token, and seen to be wrong at once; letters are in few tokens.
WEIGHTS = torch.ones(CHANNELS)
for field, weight in {"back": 8.0, "letters": 10.0, "wide": 5.0, "half": 5.0, "serif": 3.0, "ink": 6.0, "left": 4.0, "right": 4.0,
                      "style": 8.0, "object": 3.0, "tinted": 6.0, "tint": 6.0, "border": 8.0, "sides": 8.0}.items():
    WEIGHTS[AT[field]] = weight
# What a component of looks counts for on average; each by the levels that it stands for, as that is what is seen of its error.
LOOKS = 5.0
# Share of the pictures that the decoder has drawn, where there is one, as those that are edited were.
DRAWN = 0.3
GLYPHS = torch.from_numpy(GLYPH_CODES)


def draw(rng, count):
    """Scenes as they come before an edit, some full of objects, and many words, which are few tokens of a picture."""
    kinds = [lambda: random_pair(rng)[0], lambda: random_combination(rng)[0], lambda: random_scene(rng), lambda: crowded(rng), lambda: random_words(rng)]
    return [changed(rng, kinds[rng.choice(5, p=(0.25, 0.06, 0.1, 0.4, 0.19))]()) for _ in range(count)]


def blurred(pictures, rng):
    """A third soft, a third noisy."""
    if rng.random() < 0.33:
        soft = torch.nn.functional.avg_pool2d(pictures, 3, 1, 1, count_include_pad=False)
        pictures = torch.lerp(pictures, soft, rng.random())
    return pictures + (rng.random() * NOISE if rng.random() < 0.5 else 0) * torch.randn_like(pictures)


def naming(found, target, table):
    """Logits over the rows of a table of codes, by how near they are, and the right ones."""
    return -torch.cdist(found, table).square() / 4, torch.cdist(target, table).argmin(-1)


def loss_of(found, target, table, weights):
    """And its figures: the error, the share of the variance of looks that is read, and the shares of objects and letters that are named right."""
    squares = (found - target).square() * weights
    loss, right = squares.mean() + NEAR * (found - target).abs().mean() / 10, []
    for fields, sign, rows in (("code",), "object", table), (("left", "right"), "letters", GLYPHS):
        shown = target[..., AT[sign].start] > 0
        if not shown.any():
            right.append(float("nan"))
            continue
        named = [naming(found[..., AT[field]][shown], target[..., AT[field]][shown], rows) for field in fields]
        logits, labels = (torch.cat(part) for part in zip(*named))
        loss = loss + cross_entropy(logits, labels) / 20
        right.append((logits.argmax(-1) == labels).float().mean().item())
    unread, all_ = ((values[..., AT["look"]] ** 2).sum().item() for values in (found - target, target))
    return loss, (squares.mean().item(), 1 - unread / all_ if all_ else float("nan"), *right)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with codes.npy; checkpoints go here")
    parser.add_argument("--minutes", type=float, default=25, help="of processor time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--pages", type=float, default=0.5, help="share of steps that are pieces full of letters; 0.25 once they are read")
    parser.add_argument("--precise", action="store_true", help="products in float32, which is faster where a processor has no units for 16 bits")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    looks = codes.load(args.work / "codes.npy")
    renderer, contents, path = Renderer(args.data), Contents(looks, Looks.load(args.data, args.work / "looks.npz")), args.work / "encoder.pt"
    table, weights = torch.from_numpy(np.stack(list(looks.values()))), WEIGHTS.clone()
    scale = torch.from_numpy(contents.looks.scale)
    weights[AT["look"]] = LOOKS * scale / scale.mean()
    model = initialize(Encoder(Config())).to(memory_format=torch.channels_last)
    decoder = None
    if (args.work / "decoder.pt").exists():
        decoder = Decoder(Config()).to(memory_format=torch.channels_last)
        decoder.load_state_dict(torch.load(args.work / "decoder.pt")["model"])
    training = Training(model, Config(), path, args.minutes, args.rate)
    rng = np.random.default_rng(training.step + 50_000)
    window = []
    while training.goes_on():
        of_letters = rng.random() < args.pages
        if of_letters:
            page, tokens = page_of_letters(rng, renderer, contents)
            pictures, latents = cut(in_range(page), unpack(tokens))
            target = pack(latents)
        else:
            scenes = draw(rng, args.batch)
            pictures, target = in_range(np.stack([renderer.render(scene) for scene in scenes])), contents.encode(scenes)
            if decoder:
                drawn = slice(round(DRAWN * args.batch))
                with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=not args.precise):
                    pictures[drawn] = decoder(unpack(target[drawn])).float().clamp(-1, 1)
        with torch.autocast("cpu", torch.bfloat16, enabled=not args.precise):
            found = model(blurred(pictures, rng).contiguous(memory_format=torch.channels_last))
        loss, figures = loss_of(pack(found.float()[:, :Config().latent_channels]), target, table, weights)
        training.learn(loss)
        window.append((*figures, float("nan") if of_letters else figures[3]))
        if training.step % 100 == 0:
            error, look, objects, letters, words = np.nanmean(window, 0)
            print(f"{training.spent / 60:6.1f} min  step {training.step}  error {error:.4f}  looks {look:.3f}  objects {objects:.3f}  letters {letters:.3f}, of pictures {words:.3f}", flush=True)
            window = []
            training.save()
    training.save()


if __name__ == "__main__":
    main()
