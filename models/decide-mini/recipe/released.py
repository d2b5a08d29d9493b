"""The weights of a released bundle, which are integers of 8 bits in blocks with a scale each, as floats."""
import argparse
import json
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

MIDDLE = 128


def floats(path):
    """The tensors of a `model.safetensors` of 8 bits, those of other types as they are."""
    found = load_file(path)
    return {name: ((weight.float() - MIDDLE) * found[f"{name}.scales"].unsqueeze(-1)).flatten(1) if f"{name}.scales" in found else weight.float()
            for name, weight in found.items() if not name.endswith(".scales")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", type=Path, required=True, help="the folder of a released decide-mini")
    parser.add_argument("--out", type=Path, required=True, help="the same as float32, to train on from")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    config = json.loads((args.bundle / "config.json").read_text())
    config.pop("quantization_config")
    (args.out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for name in ("tessera.json", "tokenizer.json"):
        shutil.copy(args.bundle / name, args.out / name)
    save_file({name: weight.contiguous() for name, weight in floats(args.bundle / "model.safetensors").items()}, args.out / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
