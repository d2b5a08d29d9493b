"""Finds the objects that take other colours, by their pictures, and writes colourable.json."""
import argparse
import json
import textwrap
from pathlib import Path

from scenes import Renderer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    names = Renderer(args.data).colourable()
    lines = textwrap.wrap(json.dumps(names)[1:-1], 118)
    (Path(__file__).parent / "colourable.json").write_text("[\n" + "\n".join(f"  {line}" for line in lines) + "\n]\n")
    print(f"{len(names)} objects take other colours")


if __name__ == "__main__":
    main()
