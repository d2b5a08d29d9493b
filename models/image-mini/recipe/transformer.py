"""Flux2Transformer2DModel under diffusers' parameter names, for batches of pictures of one size."""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    in_channels: int = 120
    num_layers: int = 2
    num_single_layers: int = 6
    attention_head_dim: int = 64
    num_attention_heads: int = 4
    joint_attention_dim: int = 960
    timestep_guidance_channels: int = 256
    mlp_ratio: float = 3.0
    axes_dims_rope: tuple = (8, 24, 24, 8)
    rope_theta: float = 100.0
    eps: float = 1e-6


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


def rotary_table(config, text, grids):
    """cos and sin [tokens, head size], each value twice, the sines of even places negative; axes are frame, row, column, word."""
    rows = [(0, 0, 0, k) for k in range(text)]
    for frame, (height, width) in enumerate(grids):
        rows += [(10 * frame, i, j, 0) for i in range(height) for j in range(width)]
    positions = torch.tensor(rows, dtype=torch.float64)
    angles = torch.cat([
        positions[:, axis:axis + 1] * config.rope_theta ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
        for axis, width in enumerate(config.axes_dims_rope)], 1).repeat_interleave(2, 1)
    signs = torch.tensor([-1.0, 1.0]).repeat(angles.shape[1] // 2)
    return angles.cos().float(), angles.sin().float() * signs


def rotate(x, cos, sin):
    return x * cos + x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2) * sin


class HeadNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


def modulated(x, shift, scale):
    return torch.addcmul(shift, F.layer_norm(x, (x.shape[-1],), eps=1e-6), 1 + scale)


def attend(q, k, v, rotary):
    q, k, v = (rows.transpose(1, 2) for rows in (q, k, v))
    # Written out: on a CPU the fused kernel takes half as long again for sequences this short.
    scores = rotate(q, *rotary) @ rotate(k, *rotary).transpose(-1, -2) * q.shape[-1] ** -0.5
    return (scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).flatten(2)


class DoubleAttention(nn.Module):
    def __init__(self, c, width):
        super().__init__()
        self.size = c.attention_head_dim
        self.to_q, self.to_k, self.to_v = (linear(width, width) for _ in range(3))
        self.add_q_proj, self.add_k_proj, self.add_v_proj = (linear(width, width) for _ in range(3))
        self.to_out, self.to_add_out = nn.ModuleList([linear(width, width)]), linear(width, width)
        self.norm_q, self.norm_k = HeadNorm(self.size, c.eps), HeadNorm(self.size, c.eps)
        self.norm_added_q, self.norm_added_k = HeadNorm(self.size, c.eps), HeadNorm(self.size, c.eps)

    def forward(self, image, text, rotary):
        split = lambda rows: rows.unflatten(-1, (-1, self.size))
        q = torch.cat([self.norm_added_q(split(self.add_q_proj(text))), self.norm_q(split(self.to_q(image)))], 1)
        k = torch.cat([self.norm_added_k(split(self.add_k_proj(text))), self.norm_k(split(self.to_k(image)))], 1)
        v = torch.cat([split(self.add_v_proj(text)), split(self.to_v(image))], 1)
        out = attend(q, k, v, rotary)
        return self.to_out[0](out[:, text.shape[1]:]), self.to_add_out(out[:, :text.shape[1]])


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.linear_in, self.linear_out = linear(width, 2 * inner), linear(inner, width)

    def forward(self, x):
        gate, up = self.linear_in(x).chunk(2, -1)
        return self.linear_out(F.silu(gate) * up)


class DoubleBlock(nn.Module):
    def __init__(self, c, width, inner):
        super().__init__()
        self.attn = DoubleAttention(c, width)
        self.ff, self.ff_context = FeedForward(width, inner), FeedForward(width, inner)

    def forward(self, image, text, of_image, of_text, rotary):
        attended = self.attn(modulated(image, *of_image[:2]), modulated(text, *of_text[:2]), rotary)
        image = image + of_image[2] * attended[0]
        text = text + of_text[2] * attended[1]
        image = image + of_image[5] * self.ff(modulated(image, *of_image[3:5]))
        return image, text + of_text[5] * self.ff_context(modulated(text, *of_text[3:5]))


class SingleAttention(nn.Module):
    def __init__(self, c, width, inner):
        super().__init__()
        self.size, self.parts = c.attention_head_dim, (width, width, width, inner, inner)
        self.to_qkv_mlp_proj, self.to_out = linear(width, sum(self.parts)), linear(width + inner, width)
        self.norm_q, self.norm_k = HeadNorm(self.size, c.eps), HeadNorm(self.size, c.eps)

    def forward(self, x, rotary):
        q, k, v, gate, up = self.to_qkv_mlp_proj(x).split(self.parts, -1)
        split = lambda rows: rows.unflatten(-1, (-1, self.size))
        out = attend(self.norm_q(split(q)), self.norm_k(split(k)), split(v), rotary)
        return self.to_out(torch.cat([out, F.silu(gate) * up], -1))


class SingleBlock(nn.Module):
    def __init__(self, c, width, inner):
        super().__init__()
        self.attn = SingleAttention(c, width, inner)

    def forward(self, x, modulation, rotary):
        return x + modulation[2] * self.attn(modulated(x, *modulation[:2]), rotary)


class Under(nn.Module):
    """A linear layer that diffusers keeps under a name of its own."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = linear(inputs, outputs)
        nn.init.zeros_(self.linear.weight)

    def forward(self, x):
        return self.linear(F.silu(x))[:, None]


class TimestepEmbedder(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.linear_1, self.linear_2 = linear(features, width), linear(width, width)

    def forward(self, sigma):
        half = self.linear_1.in_features // 2
        frequencies = torch.exp(-math.log(10000) * torch.arange(half, device=sigma.device) / half)
        angles = 1000 * sigma[:, None] * frequencies
        return self.linear_2(F.silu(self.linear_1(torch.cat([angles.cos(), angles.sin()], -1))))


class Flux2Transformer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        width = c.attention_head_dim * c.num_attention_heads
        inner = int(width * c.mlp_ratio)
        self.time_guidance_embed = nn.ModuleDict({"timestep_embedder": TimestepEmbedder(c.timestep_guidance_channels, width)})
        self.double_stream_modulation_img, self.double_stream_modulation_txt = Under(width, 6 * width), Under(width, 6 * width)
        self.single_stream_modulation, self.norm_out = Under(width, 3 * width), Under(width, 2 * width)
        self.x_embedder, self.context_embedder = linear(c.in_channels, width), linear(c.joint_attention_dim, width)
        self.transformer_blocks = nn.ModuleList(DoubleBlock(c, width, inner) for _ in range(c.num_layers))
        self.single_transformer_blocks = nn.ModuleList(SingleBlock(c, width, inner) for _ in range(c.num_single_layers))
        self.proj_out = linear(width, c.in_channels)
        nn.init.zeros_(self.proj_out.weight)

    def forward(self, tokens, text, sigma, rotary):
        """tokens [B,S,C] of the picture and then its references, text [B,T,J], sigma [B], rotary of T + S rows; velocity [B,S,C]."""
        time = self.time_guidance_embed["timestep_embedder"](sigma)
        of_image = self.double_stream_modulation_img(time).chunk(6, -1)
        of_text = self.double_stream_modulation_txt(time).chunk(6, -1)
        of_both = self.single_stream_modulation(time).chunk(3, -1)
        image, text = self.x_embedder(tokens), self.context_embedder(text)
        rotary = tuple(table.to(image.dtype) for table in rotary)
        for block in self.transformer_blocks:
            image, text = block(image, text, of_image, of_text, rotary)
        x = torch.cat([text, image], 1)
        for block in self.single_transformer_blocks:
            x = block(x, of_both, rotary)
        scale, shift = self.norm_out(time).chunk(2, -1)
        return self.proj_out(modulated(x[:, text.shape[1]:], shift, scale))
