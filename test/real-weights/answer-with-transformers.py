"""Logits that transformers gives the answers to chats as their next token, in float32 on one thread.

    python test/real-weights/answer-with-transformers.py FOLDER OUT < JSON     (needs torch, transformers)

The input is a list of {"messages", "symbols"}: a chat, and the answers to compare. OUT gets {"seconds", "prompts"}, of
which each has the ids of the chat in the checkpoint's own template and the logits of the symbols.
"""

import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

torch.set_num_threads(1)
folder, out = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
tokenizer = AutoTokenizer.from_pretrained(folder)
seconds, prompts = 0.0, []
for row in json.load(sys.stdin):
    text = tokenizer.apply_chat_template(row["messages"], tokenize=False, add_generation_prompt=True)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    symbols = [tokenizer(symbol, add_special_tokens=False)["input_ids"][0] for symbol in row["symbols"]]
    started = time.perf_counter()
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids]), logits_to_keep=1).logits[0, -1]
    seconds += time.perf_counter() - started
    prompts.append({"ids": ids, "logits": logits[symbols].tolist()})
with open(out, "w") as file:
    json.dump({"seconds": seconds, "prompts": prompts}, file)
