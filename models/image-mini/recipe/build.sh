#!/usr/bin/env bash
# Makes the image-mini bundle from the emoji pictures, in one command:
#
#     build.sh DATA [train.py options, such as --minutes 240 --threads 8 or --device cuda]
#
# DATA is the folder with index.jsonl, 3d/ and flat/. Needs Python with requirements.txt, Node, and Debian's fonts-dejavu-core; for the
# evaluation of words also tesseract-ocr. Steps whose result is there already are not repeated. DECODER_MINUTES, ENCODER_MINUTES and
# CLASSIFIER_MINUTES are how long those are trained; EVERY measures each so many prompts only. All of it, small and elsewhere, took 19 minutes on a shared core, before the autoencoder had another block a level:
#
#     WORK=/tmp/work OUT=/tmp/bundle DECODER_MINUTES=3 ENCODER_MINUTES=2 CLASSIFIER_MINUTES=1 EVERY=20 ./build.sh DATA --minutes 4
set -euo pipefail
cd "$(dirname "$0")"
data=$(realpath "$1")
shift
python=${PYTHON:-python3} work=${WORK:-work} out=${OUT:-..}
mkdir -p "$work" "$out"

"$python" colourable.py --data "$data"
"$python" make_tokenizer.py --out "$work"
[ -f "$work/codes.npy" ] || "$python" codes.py --data "$data" --out "$work/codes.npy"
[ -f "$work/looks.npz" ] || "$python" looks.py --data "$data" --out "$work/looks.npz"
[ -f "$work/start.pt" ] || "$python" start.py --work "$work"
"$python" train_decoder.py --data "$data" --work "$work" --minutes "${DECODER_MINUTES:-290}"
"$python" train_encoder.py --data "$data" --work "$work" --minutes "${ENCODER_MINUTES:-240}"
"$python" train.py --data "$data" --work "$work" "$@"
"$python" export.py --work "$work" --out "$work/half"
work=$(realpath "$work") out=$(realpath "$out")

[ -f "$work/classifier.json" ] || "$python" classifier.py --data "$data" --out "$work" --minutes "${CLASSIFIER_MINUTES:-8}"
[ -f "$work/cases/cases.jsonl" ] || "$python" make_cases.py --data "$data" --out "$work/cases"
cd ../../..
rm -rf "$work/int8"
node scripts/run-ts.mjs src/cli/main.ts quantize "$work/half" "$work/int8" --bits 8 --block 32
cp -r "$work/int8/." "$out"
npm run --silent eval:images -- --work "$work" --model "$out" --sheet "$out" --every "${EVERY:-1}" > "$work/evaluation.json"
mv "$work/evaluation.json" "$out/evaluation.json"
