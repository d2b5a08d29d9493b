"""Layers in bfloat16 on processors that have instructions for it, and on GPUs; products have sums of 32 bits."""
import math
import time

import torch
import torch.nn.functional as F

# Whether products and all that lies between them are rounded on a CPU; figures that are written down are computed without.
ROUNDED = False
HIDDEN = -1e4


def is_faster_rounded():
    """Whether this processor multiplies 16 bits faster than 32: it is measured, since some that have instructions for it (`avx512_bf16` without AMX) take 1.8 times as long."""
    if not torch.cpu.get_capabilities().get("avx512_bf16", False):
        return False

    def seconds(dtype):
        x, weight, taken = torch.randn(4096, 384, dtype=dtype), torch.randn(1536, 384, dtype=dtype), []
        for _ in range(7):
            began = time.perf_counter()
            F.linear(x, weight)
            taken.append(time.perf_counter() - began)
        return sorted(taken)[3]

    return seconds(torch.bfloat16) < seconds(torch.float32)


def half(x, mask):
    """The input of the layers, and who sees whom, in the form that suits the processor."""
    if not x.is_cuda and not ROUNDED:
        return x, mask
    return x.bfloat16(), torch.zeros(mask.shape, dtype=torch.bfloat16, device=x.device).masked_fill_(~mask, HIDDEN)


def attend(q, k, v, mask):
    """Attention [batch, heads, length, width of a head]; on a CPU in 16 bits a step on pairs of sentences takes 0.54 of the time with plain products that it takes with the fused kernel."""
    if q.is_cuda or q.dtype != torch.bfloat16:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return torch.softmax((q / math.sqrt(q.shape[-1]) @ k.transpose(-1, -2)).add_(mask), -1) @ v


def linear(x, weight, bias):
    """x times the weight transposed, plus the bias, in the precision of x."""
    return F.linear(x, weight.to(x.dtype), bias.to(x.dtype))


def normed(x, norm):
    """Layer normalisation; a GPU wants weights in the precision of x."""
    return F.layer_norm(x, norm.normalized_shape, norm.weight.to(x.dtype), norm.bias.to(x.dtype), norm.eps) if x.is_cuda else norm(x)


def feed_forward(x, up, down):
    """Two linear layers with a gelu between them."""
    return linear(F.gelu(linear(x, up.weight, up.bias)), down.weight, down.bias)
