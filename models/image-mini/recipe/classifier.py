"""A small classifier of the model's own objects, for `npm run eval:images`: what stands in a square of a picture?

A perceptron on 24 x 24 pixels; classes are the objects and `nothing`. It is trained on composed squares that are moved, resized, blurred,
noisy, recoloured or next to other objects, and its accuracy is measured on others of that kind.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from scenes import BOXES, COLOURS, PLACES, SIDE, SIZES, SPOTS, STYLES, Renderer, Scene, size_of
from tasks import NAMES, pick, random_item

SIZE, HIDDEN = 24, 512
CLASSES = [*NAMES, "nothing"]


def random_square(renderer, rng):
    """uint8 square of a scene and the class of what stands there."""
    ground, style, name = {"background": pick(rng, list(COLOURS)), "fade": ""}, pick(rng, STYLES), pick(rng, NAMES)
    kind = rng.random()
    if kind < 0.4:
        inside = SIZES["big"][1]
        left = top = (SIDE - inside) // 2
        size, scene = inside, Scene(**ground, items=(random_item(rng, name, "big", style, ground),))
    elif kind < 0.5:
        place = pick(rng, list(SPOTS))
        (left, top), size = BOXES[place], SIZES["tiny"][0]
        scene = Scene(**ground, items=tuple(random_item(rng, name, spot, style, ground) for spot in SPOTS))
    else:
        place = pick(rng, list(PLACES))
        (left, top), size = PLACES[place], SIZES["small"][0]
        free = [other for other in PLACES if abs(PLACES[other][0] - left) >= size or abs(PLACES[other][1] - top) >= size]
        items = [random_item(rng, name, place, style, ground)] if rng.random() < 0.85 else []
        if free and rng.random() < 0.6:
            items.append(random_item(rng, pick(rng, NAMES), pick(rng, free), style, ground))
        name = name if items and items[0].place == place else "nothing"
        scene = Scene(**ground, items=tuple(items))
    picture = renderer.render(scene)
    left, top = (int(np.clip(edge + rng.integers(-6, 7), 0, SIDE - size)) for edge in (left, top))
    return picture[top:top + size, left:left + size], CLASSES.index(name)


def draw(renderer, rng, count):
    squares, labels = zip(*(random_square(renderer, rng) for _ in range(count)))
    x = torch.stack([shrink(square) for square in squares])
    blur = F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
    x = torch.lerp(x, blur, torch.from_numpy(rng.random((count, 1, 1, 1), np.float32)))
    x = x * torch.from_numpy(rng.uniform(0.8, 1.15, (count, 3, 1, 1)).astype(np.float32))
    return (x + 0.1 * torch.randn_like(x) * torch.rand(count, 1, 1, 1)).clamp(-1, 1).flatten(1), torch.tensor(labels)


def shrink(square):
    """uint8 [S,S,3] to [3,24,24], -1 to 1: means of areas."""
    return F.adaptive_avg_pool2d(torch.from_numpy(square.copy()).permute(2, 0, 1).float() / 127.5 - 1, SIZE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for classifier.safetensors and classifier.json")
    parser.add_argument("--minutes", type=float, default=8)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    renderer, rng = Renderer(args.data), np.random.default_rng(0)
    model = torch.nn.Sequential(torch.nn.Linear(3 * SIZE * SIZE, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, len(CLASSES)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    start = time.process_time()
    while (progress := (time.process_time() - start) / (60 * args.minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - progress)
        x, labels = draw(renderer, rng, 128)
        F.cross_entropy(model(x), labels, label_smoothing=0.02).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    x, labels = draw(renderer, np.random.default_rng(1), 4000)
    with torch.no_grad():
        accuracy = (model(x).argmax(-1) == labels).float().mean().item()
    tensors = {name.replace("0.", "hidden.").replace("2.", "output."): tensor.contiguous() for name, tensor in model.state_dict().items()}
    args.out.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.half() for name, tensor in tensors.items()}, args.out / "classifier.safetensors")
    (args.out / "classifier.json").write_text(json.dumps(
        {"size": SIZE, "classes": CLASSES, "accuracy": round(accuracy, 4), "squares": 4000}, indent=2) + "\n")
    print(f"accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
