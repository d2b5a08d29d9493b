"""Trains the decoder of the autoencoder for a given time; restartable from its own checkpoint.

Most pictures are full of objects or letters, since a plain background teaches little. Noise on the
latents makes the decoder forgive small errors of the transformer.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

import codes
from autoencoder import Config, Decoder, in_range, initialize
from content import AT, CHANNELS, GRID, Contents, unpack
from looks import Looks
from scenes import CELL, COLOURS, FONTS, GLYPHS, OBJECTS, PACKED, SIDE, STYLES, Renderer, Scene
from tasks import SMALL, pick, random_background, random_item, random_pair, random_scene, random_words
from training import Training

NOISE, LOOK_NOISE, FADED = 0.15, 0.6, 0.7
# All but one of so many steps are pieces full of letters, which are many things to know and little of a picture; 4 while narrow ones have no shape.
PAGES_EVERY = 2
# Share of the lines on them that are wide, and of those that have small letters only, which are most alike.
WIDE, SMALL_ONLY = 0.2, 0.5
# Share of those that are mirrored.
TURNED = 0.12


def crowded(rng):
    kind = rng.random()
    places = ["big"] if kind < 0.3 else list(PACKED) if kind < 0.5 else [
        "top left", "top right", "bottom left", "bottom right"]
    ground = {"background": pick(rng, list(COLOURS)), "fade": ""}
    items = tuple(random_item(rng, pick(rng, list(OBJECTS)), place, pick(rng, STYLES), ground) for place in places)
    return Scene(**ground, items=items)


def changed(rng, scene):
    """A quarter gets a border, a tenth is turned and a tenth gray: rare otherwise, and nothing else teaches them."""
    border = pick(rng, [name for name in COLOURS if name != scene.background]) if rng.random() < 0.25 else scene.border
    return scene.but(border=border, mirrored=rng.random() < 0.1 or scene.mirrored, grayscale=rng.random() < 0.1 or scene.grayscale)


def page_of_letters(rng, renderer, contents):
    """A picture full of letters in all sizes, fonts and inks and its tokens, as a line or two of them teach little in a picture."""
    ground = random_background(rng)
    page = Scene(**ground)
    picture, grid = renderer.render(page).astype(np.float32), contents.of(page).reshape(GRID, GRID, CHANNELS)
    for top in range(0, GRID, 2):
        wide = rng.random() < WIDE
        for row in (top,) if wide else (top, top + 1):
            glyphs = SMALL if rng.random() < SMALL_ONLY else GLYPHS
            word = "".join(glyphs[at] for at in rng.integers(len(glyphs), size=SIDE // CELL if wide else 2 * SIDE // CELL))
            line = page.but(ink=pick(rng, ["", "", *(name for name in COLOURS if name not in ground.values())]), font=pick(rng, list(FONTS)))
            renderer.write(picture, line, word, row)
            contents.write(grid, line, word, row)
    if rng.random() < TURNED:
        picture, grid = picture[:, ::-1], contents.mirror(grid)
    return np.clip(picture + 0.5, 0, 255).astype(np.uint8)[None], torch.from_numpy(grid.reshape(1, GRID * GRID, CHANNELS))


def cut(pictures, latents):
    """Pictures [1,3,256,256] and their latents in eight pieces of two lines, whose steps are cheap."""
    pieces = lambda x: x[0].unflatten(1, (4, -1)).unflatten(3, (2, -1)).permute(1, 3, 0, 2, 4).flatten(0, 1)
    return pieces(pictures), pieces(latents)


def draw(rng, count, renderer, contents):
    """Pictures [count,256,256,3] and their tokens: half of them full of objects, the others as they come, and some changed as edits do."""
    kinds = {"words": lambda: random_words(rng), "drawn": lambda: random_scene(rng), "edited": lambda: random_pair(rng)[1], "full": lambda: crowded(rng)}
    scenes = [changed(rng, kinds[rng.choice(list(kinds), p=[0.25, 0.1, 0.1, 0.55])]()) for _ in range(count)]
    return np.stack([renderer.render(scene) for scene in scenes]), contents.encode(scenes)


def worsened(tokens):
    """Tokens with errors as the transformer makes them: small ones on what they name, larger ones on what it looks like, faded and noisy."""
    share = lambda: torch.rand(len(tokens), 1, 1)
    tokens = tokens + NOISE * share() * torch.randn_like(tokens)
    look = tokens[..., AT["look"]]
    tokens[..., AT["look"]] = look * (1 - FADED * share().square()) + LOOK_NOISE * share().square() * torch.randn_like(look)
    return tokens


def edges(x):
    return x[..., 1:] - x[..., :-1], x[..., 1:, :] - x[..., :-1, :]


def loss_of(pictures, decoded):
    difference = decoded - pictures
    sharpness = sum((a - b).abs().mean() for a, b in zip(edges(decoded), edges(pictures)))
    return difference.abs().mean() + 2 * difference.square().mean() + sharpness


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with codes.npy; checkpoints go here")
    parser.add_argument("--minutes", type=float, default=25, help="of processor time")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--rate", type=float, default=3e-3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    renderer, contents, path = Renderer(args.data), Contents(codes.load(args.work / "codes.npy"), Looks.load(args.data, args.work / "looks.npz")), args.work / "decoder.pt"
    model = initialize(Decoder(Config()))
    # On a CPU convolutions of half precision are faster so.
    model.to(args.device, memory_format=torch.channels_last)
    training = Training(model, Config(), path, args.minutes, args.rate, args.device)
    rng = np.random.default_rng(training.step)

    def save(decoded):
        training.save()
        sheet = (decoded.detach().float().cpu() * 127.5 + 127.5).clamp(0, 255).byte().permute(2, 0, 3, 1).flatten(1, 2)
        Image.fromarray(sheet.numpy()).save(args.work / "decoded.png")

    window = [], []
    while training.goes_on():
        letters = training.step % PAGES_EVERY > 0
        drawn, tokens = page_of_letters(rng, renderer, contents) if letters else draw(rng, args.batch, renderer, contents)
        blurred = unpack(worsened(tokens)).to(args.device)
        pictures = in_range(drawn).to(args.device)
        if letters:
            pictures, blurred = (part.contiguous(memory_format=torch.channels_last) for part in cut(pictures, blurred))
        with torch.autocast(args.device, torch.bfloat16):
            decoded = model(blurred)
        loss = loss_of(pictures, decoded.float())
        training.learn(loss)
        window[letters].append(F.mse_loss(decoded.float(), pictures).item())
        if training.step % 100 == 1:
            print(f"{training.spent / 60:6.1f} min  step {training.step}  psnr", *(f"{10 * np.log10(4 / np.mean(of)):.2f}" for of in window if of), flush=True)
            window = [], []
            save(decoded)
    save(decoded)


if __name__ == "__main__":
    main()
