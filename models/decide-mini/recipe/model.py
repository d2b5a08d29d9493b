"""The Qwen3 decoder (transformers' `modeling_qwen3`) with a pointer readout, trained on packed rows with a block mask."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from products import project


@dataclass
class Config:
    vocab_size: int = 24576
    hidden_size: int = 256
    num_hidden_layers: int = 8
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 64
    intermediate_size: int = 640
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    max_position_embeddings: int = 2048
    pointer_size: int = 128


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv_heads, self.dim = c.num_attention_heads, c.num_key_value_heads, c.head_dim
        self.q_proj = nn.Linear(c.hidden_size, self.heads * self.dim, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, self.kv_heads * self.dim, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, self.kv_heads * self.dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.dim, c.hidden_size, bias=False)
        self.q_norm, self.k_norm = RMSNorm(self.dim, c.rms_norm_eps), RMSNorm(self.dim, c.rms_norm_eps)

    def forward(self, x, cos, sin, mask):
        batch, length, _ = x.shape
        found = project(x, self.q_proj.weight, self.k_proj.weight, self.v_proj.weight)
        q, k, v = (part.view(batch, length, -1, self.dim) for part in found)
        q, k, v = self.q_norm(q).transpose(1, 2), self.k_norm(k).transpose(1, 2), v.transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        return project(out.transpose(1, 2).reshape(batch, length, -1), self.o_proj.weight)[0]


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x):
        gate, up = project(x, self.gate_proj.weight, self.up_proj.weight)
        return project(F.silu(gate) * up, self.down_proj.weight)[0]


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = Attention(c), MLP(c)
        self.input_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)


class DecideMini(nn.Module):
    """Parameter names are those of transformers' Qwen3ForCausalLM, plus `pointer.query` and `pointer.key`."""

    def __init__(self, c):
        super().__init__()
        self.config, self.model = c, Decoder(c)
        self.pointer = nn.ModuleDict({name: nn.Linear(c.hidden_size, c.pointer_size, bias=False) for name in ("query", "key")})
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(weight)

    def forward(self, tokens, positions, mask, decides, ends, owner):
        """tokens, positions [B,S]; mask bool [B,1,S,S]; decides [Q] and ends [O] index the flat [B*S] rows; owner [O] is each option's question.
        Returns one logit an option, [O]."""
        c = self.config
        inverse = c.rope_theta ** -(torch.arange(0, c.head_dim, 2, device=tokens.device).float() / c.head_dim)
        angles = positions.unsqueeze(1).unsqueeze(-1).float() * inverse
        x = self.model.embed_tokens(tokens)
        dtype = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype
        x, cos, sin = x.to(dtype), angles.cos().to(dtype), angles.sin().to(dtype)
        for layer in self.model.layers:
            x = layer(x, cos, sin, mask)
        flat = x.reshape(-1, c.hidden_size)
        queries = self.pointer["query"](self.model.norm(flat[decides])).float()
        keys = self.pointer["key"](self.model.norm(flat[ends])).float()
        return (queries[owner] * keys).sum(-1) * c.pointer_size**-0.5
