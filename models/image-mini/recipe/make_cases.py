"""Writes what `npm run eval:images` compares with: pictures to edit and their right results, and coloured objects in all colours.

cases.jsonl names the edits' pictures. colours.jsonl has prompts for objects in colours, half of them in combinations that training leaves
out, and how each looks in every colour.
"""
import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

from captions import say_combination, say_edit
from nouns import article
from scenes import STYLES, Item, Renderer, Scene
from tasks import BACKGROUNDS, COLOURABLE, EDITS, is_held_out, pick, random_combination, random_pair


def write_colours(out, renderer, rng, count):
    rows = []
    for number in range(2 * count):
        held_out, style = number >= count, STYLES[number % 2]
        name = pick(rng, [name for name in COLOURABLE if any(is_held_out(name, colour) for colour in BACKGROUNDS)])
        colour = pick(rng, [colour for colour in BACKGROUNDS if is_held_out(name, colour) == held_out])
        background = pick(rng, [other for other in BACKGROUNDS if other != colour])
        looks = {}
        for other in BACKGROUNDS:
            looks[other] = f"colour-{number}-{other}.png"
            scene = Scene(background, (Item(name, "big", style, other),))
            Image.fromarray(renderer.render(scene)).save(out / looks[other])
        prompt = f"{article(f'{style} {colour} {name}')} on {article(background)} background"
        rows.append(json.dumps({"prompt": prompt, "name": name, "colour": colour, "background": background, "held_out": held_out, "looks": looks}))
    (out / "colours.jsonl").write_text("\n".join(rows) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=40, help="cases per kind of edit")
    parser.add_argument("--colours", type=int, default=48, help="coloured objects of combinations seen in training, and as many others")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    # A stream of its own: training draws from streams seeded by small numbers.
    rng, renderer, rows = np.random.default_rng(777_777), Renderer(args.data), []
    for kind in (*EDITS, "combine"):
        for number in range(args.each):
            if kind == "combine":
                *sources, after, facts = random_combination(rng)
                prompt = say_combination(rng, facts)
            else:
                *sources, after, facts, _ = random_pair(rng, kind)
                prompt = say_edit(rng, kind, facts)
            names = [f"{kind}-{number}-source-{source}.png" for source in range(len(sources))] + [f"{kind}-{number}-after.png"]
            for name, scene in zip(names, (*sources, after)):
                Image.fromarray(renderer.render(scene)).save(args.out / name)
            rows.append(json.dumps({"kind": kind, "prompt": prompt, "sources": names[:-1], "after": names[-1]}))
    (args.out / "cases.jsonl").write_text("\n".join(rows) + "\n")
    write_colours(args.out, renderer, rng, args.colours)
    print(f"{len(rows)} cases")


if __name__ == "__main__":
    main()
