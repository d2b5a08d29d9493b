"""Writes pictures to edit, with the right results, for `npm run eval:images`: cases.jsonl, and before and after PNGs."""
import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

from captions import say_combination, say_edit
from scenes import Renderer
from tasks import EDITS, random_combination, random_pair


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=16, help="cases per kind of edit")
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
    print(f"{len(rows)} cases")


if __name__ == "__main__":
    main()
