#!/usr/bin/env bash
# Makes the image-mini bundle from the emoji pictures, in one command:
#
#     build.sh DATA [train.py options, such as --minutes 80 --threads 8 or --device cuda]
#
# DATA is the folder with index.jsonl, 3d/ and flat/. Needs Python with requirements.txt, Node, and Debian's fonts-dejavu-core; for the
# evaluation of words also tesseract-ocr. Steps whose result is there already are not repeated.
set -euo pipefail
cd "$(dirname "$0")"
data=$(realpath "$1")
shift
python=${PYTHON:-python3} work=work
mkdir -p "$work"

[ -f "$work/tokenizer.json" ] || "$python" train_tokenizer.py --data "$data" --out "$work"
[ -f "$work/latents.npz" ] || "$python" principal.py --data "$data" --out "$work/latents.npz"
"$python" train_decoder.py --data "$data" --work "$work"
"$python" train.py --data "$data" --work "$work" "$@"
"$python" export.py --data "$data" --work "$work" --out ..

[ -f "$work/classifier.json" ] || "$python" classifier.py --data "$data" --out "$work"
[ -f "$work/cases/cases.jsonl" ] || "$python" make_cases.py --data "$data" --out "$work/cases"
cd ../../..
npm run --silent eval:images -- --work models/image-mini/recipe/work --sheet models/image-mini > models/image-mini/evaluation.json
