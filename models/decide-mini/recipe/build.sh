#!/usr/bin/env bash
# Makes the decide-mini bundle from the text data, in one command:
#
#     build.sh DATA FINGERPRINTS [train.py options, such as --minutes 90 --threads 8 or --device cuda]
#
# DATA is the folder with decisions-*.jsonl.xz and pretrain-*.txt.xz; FINGERPRINTS lists hashes of states that must not be trained
# on. Needs Python with requirements.txt, Node, and the xz command. Steps whose result is there already are not repeated.
set -euo pipefail
cd "$(dirname "$0")"
data=$(realpath "$1") fingerprints=$(realpath "$2")
shift 2
python=${PYTHON:-python3} work=work
mkdir -p "$work"

[ -f "$work/tokenizer.json" ] || "$python" train_tokenizer.py --data "$data" --out "$work"
[ -f "$work/embeddings.npy" ] || "$python" train_embeddings.py --data "$data" --tokenizer "$work/tokenizer.json" --out "$work/embeddings.npy"
[ -f "$work/dev/rows.npy" ] || "$python" pack.py --data "$data" --tokenizer "$work/tokenizer.json" --out "$work/dev" decisions-dev.jsonl.xz
[ -f "$work/train/rows.npy" ] || "$python" pack.py --data "$data" --tokenizer "$work/tokenizer.json" --out "$work/train" --augment \
  --fingerprints "$fingerprints" decisions-train-0{0,1,2,3,4}.jsonl.xz decisions-procedural-00.jsonl.xz decisions-procedural-long-00.jsonl.xz
for kind in text compare; do
  questions="$work/$kind.jsonl.xz" only=()
  [ "$kind" = text ] || only=(--compare)
  [ -f "$questions" ] || "$python" text_questions.py --data "$data" --out "$questions" "${only[@]}"
  [ -f "$work/$kind/rows.npy" ] || "$python" pack.py --data "$work" --tokenizer "$work/tokenizer.json" --out "$work/$kind" --fingerprints "$fingerprints" "$kind.jsonl.xz"
done

resume=()
[ ! -f "$work/checkpoint.pt" ] || resume=(--resume)
"$python" train.py --work "$work" "${resume[@]}" "$@"
"$python" export.py --work "$work" --out ..

cd ../../..
npm run --silent eval:decide -- --data "$data/decisions-dev.jsonl.xz" --order --fit > models/decide-mini/evaluation.json
