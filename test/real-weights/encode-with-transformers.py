"""Encodes texts with transformers: python encode-with-transformers.py MODEL_FOLDER OUT.safetensors < texts.json

Writes for text i `ids.i` [S] with the tokens around it and `hidden.i` [S, H] of the last layer in float32; the metadata has the seconds that the
passes took on one thread.
"""

import json
import sys
import time

import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

folder, out = sys.argv[1:]
torch.set_num_threads(1)
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
expected, seconds = {}, 0.0
for number, text in enumerate(json.load(sys.stdin)):
    ids = tokenizer(text, truncation=False, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        started = time.perf_counter()
        hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
        seconds += time.perf_counter() - started
    expected |= {f"ids.{number}": ids[0].contiguous(), f"hidden.{number}": hidden.contiguous()}
save_file(expected, out, metadata={"seconds": str(seconds)})
