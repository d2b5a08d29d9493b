#!/usr/bin/env bash
# Makes the packs that gpu_train.py reads, a process each, for a machine of many processors:
#
#     gpu-packs.sh DATA FINGERPRINTS TOKENIZER MADE WORK
#
# DATA and FINGERPRINTS are those of build.sh, MADE is the folder of its made questions (*.jsonl.xz). Labelled rows are packed twice, in other
# wordings each time. WORK gets folders NAME-NUMBER, each with a file `done` when it can be read.
set -euo pipefail
cd "$(dirname "$0")"
data=$1 fingerprints=$2 tokenizer=$3 made=$4 work=$5
mkdir -p "$work"
export RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1
pack() {
  local name=$1
  shift
  nice python3 pack.py --tokenizer "$tokenizer" --fingerprints "$fingerprints" --out "$work/$name" "$@" && touch "$work/$name/done"
}
train=("$data"/decisions-train-0{0,1,2,3}.jsonl.xz) rest=("$data/decisions-procedural-00.jsonl.xz" "$data/decisions-train-04.jsonl.xz")

pack made-1 --longest 144 --seed 3 --rows 50000 --less meaning/fate=0 meaning/why=0 -- "$made/meaning.jsonl.xz" &
pack made-2 --longest 144 --seed 3 -- "$made/messages.jsonl.xz" &
pack made-3 --longest 144 --seed 3 -- "$made/reading.jsonl.xz" &
pack subjects-1 --longest 144 --seed 4 -- "$made/subjects.jsonl.xz" &
pack scores-1 --longest 160 --seed 7 -- "$made/scores.jsonl.xz" &
pack written-1 --rows 200000 --power 1 --longest 320 --augment --seed 21 --less $(<written.txt) -- "$made/written.jsonl.xz" &
for name in junk reviews desk facts sections neither lookups alike; do
  pack "$name-1" --longest 200 --seed 8 -- "$made/$name.jsonl.xz" &
done
for round in 1 2; do
  for part in 0 1 2 3; do
    pack "mix-$round$part" --rows 128000 --longest 176 --augment --seed "$((2 * round))$part" -- "${train[part]}" &
    pack "train-$round$part" --longest 256 --augment --seed "$((2 * round + 1))$part" -- "${train[part]}" &
  done
  pack "mix-${round}8" --rows 40000 --longest 176 --augment --seed "3$round" -- "${rest[@]}" &
  pack "train-${round}8" --rows 40000 --longest 256 --augment --seed "4$round" -- "${rest[@]}" &
  pack "pairs-$round" --rows 120000 --power 0.8 --longest 96 --augment --less $(<pairs.txt) --seed "5$round" -- "${train[@]}" &
  pack "records-$round" --rows 60000 --power 0.8 --longest 400 --augment --seed "6$round" --less procedural/ticket=0.1 procedural/chat=0.3 -- "${rest[0]}" &
  pack "long-$round" --power 1 --less boolq=0 --longest 512 --states 177 512 --augment --seed "7$round" -- "${train[@]}" "$data/decisions-procedural-long-00.jsonl.xz" &
  wait
done
