"""Writes pictures to edit, with the right results, for `npm run eval:images`: cases.jsonl, and before and after PNGs."""
import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

from captions import say_edit
from scenes import Renderer
from tasks import EDITS, random_pair


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=16, help="cases per kind of edit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    # A stream of its own: training draws from streams seeded by small numbers.
    rng, renderer, rows = np.random.default_rng(777_777), Renderer(args.data), []
    for kind in EDITS:
        for number in range(args.each):
            before, after, facts, _ = random_pair(rng, kind)
            row = {"kind": kind, "prompt": say_edit(rng, kind, facts)}
            for name, scene in (("before", before), ("after", after)):
                row[name] = f"{kind}-{number}-{name}.png"
                Image.fromarray(renderer.render(scene)).save(args.out / row[name])
            rows.append(json.dumps(row))
    (args.out / "cases.jsonl").write_text("\n".join(rows) + "\n")
    print(f"{len(rows)} cases")


if __name__ == "__main__":
    main()
