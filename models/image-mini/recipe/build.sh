#!/usr/bin/env bash
# Makes the image-mini bundle from the emoji pictures, in one command:
#
#     build.sh DATA [train.py options, such as --minutes 80 --threads 8 or --device cuda]
#
# DATA is the folder with index.jsonl, 3d/ and flat/. Needs Python with requirements.txt, Node, and Debian's fonts-dejavu-core; for the
# evaluation of words also tesseract-ocr. Steps whose result is there already are not repeated. With FROM=BUNDLE it goes on from the weights
# of an earlier bundle, whose latents it keeps. DECODER_MINUTES is how long the decoder is trained.
set -euo pipefail
cd "$(dirname "$0")"
data=$(realpath "$1")
shift
python=${PYTHON:-python3} work=${WORK:-work} out=${OUT:-..}
mkdir -p "$work"
from=${FROM:+--bundle $FROM}

"$python" colourable.py --data "$data"
[ -f "$work/tokenizer.json" ] || "$python" train_tokenizer.py --data "$data" --out "$work"
[ -f "$work/latents.npz" ] || "$python" principal.py --data "$data" --out "$work/latents.npz" $from
"$python" train_decoder.py --data "$data" --work "$work" --minutes "${DECODER_MINUTES:-25}" $from
[ -f "$work/start.pt" ] || "$python" start.py --data "$data" --work "$work" $from
"$python" train.py --data "$data" --work "$work" "$@"
"$python" export.py --data "$data" --work "$work" --out "$out"

[ -f "$work/classifier.json" ] || "$python" classifier.py --data "$data" --out "$work"
[ -f "$work/cases/cases.jsonl" ] || "$python" make_cases.py --data "$data" --out "$work/cases"
work=$(realpath "$work") out=$(realpath "$out")
cd ../../..
npm run --silent eval:images -- --work "$work" --model "$out" --sheet "$out" > "$out/evaluation.json"
