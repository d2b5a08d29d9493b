"""A small Qwen3 decoder (transformers' `modeling_qwen3`) read as a text encoder: hidden states of several layers side by side."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

# Hidden states that the transformer reads; the last is taken after the final norm.
TAPS = (1, 2, 3)
LENGTH = 64


@dataclass
class Config:
    vocab_size: int = 8192
    hidden_size: int = 320
    num_hidden_layers: int = 3
    num_attention_heads: int = 2
    num_key_value_heads: int = 2
    head_dim: int = 64
    intermediate_size: int = 384
    rms_norm_eps: float = 1e-6
    rope_theta: float = 1000.0
    max_position_embeddings: int = LENGTH


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
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
        split = lambda rows: rows.unflatten(-1, (-1, self.dim)).transpose(1, 2)
        q = rotate(self.q_norm(split(self.q_proj(x))), cos, sin)
        k = rotate(self.k_norm(split(self.k_proj(x))), cos, sin)
        out = F.scaled_dot_product_attention(q, k, split(self.v_proj(x)), attn_mask=mask, enable_gqa=True)
        return self.o_proj(out.transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = Attention(c), MLP(c)
        self.input_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class TextEncoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                nn.init.normal_(weight, std=0.5 if "embed" in name else weight.shape[1] ** -0.5)
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(weight)

    def forward(self, ids, lengths):
        """ids [B,T] and the number that isn't padding, [B], to features [B,T,taps·hidden]. Padding sees all that isn't."""
        c, device = self.config, ids.device
        places = torch.arange(ids.shape[1], device=device)
        inverse = c.rope_theta ** -(torch.arange(0, c.head_dim, 2, device=device).float() / c.head_dim)
        angles = places[:, None].float() * inverse
        mask = (places[None] <= places[:, None])[None] & (places < lengths[:, None])[:, None]
        x = self.embed_tokens(ids)
        dtype = torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else x.dtype
        x, cos, sin = x.to(dtype), angles.cos().to(dtype), angles.sin().to(dtype)
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], cos, sin, mask[:, None]))
        states[-1] = self.norm(states[-1])
        return torch.cat([states[tap] for tap in TAPS], -1)
