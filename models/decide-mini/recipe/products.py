"""Matrix products in bfloat16 on processors that have instructions for it; sums are of 32 bits, everything around them stays float32."""
import torch
import torch.nn.functional as F

# Whether products are rounded; figures that are written down are computed without.
ROUNDED = torch.cpu.get_capabilities().get("avx512_bf16", False)


class Rounded(torch.autograd.Function):
    """x times the weight transposed, with both rounded."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        rows, rounded = x.reshape(-1, x.shape[-1]).bfloat16(), weight.bfloat16()
        ctx.save_for_backward(rows, rounded)
        return ((rows @ rounded.t()).float() + bias).view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx, gradient):
        rows, weight = ctx.saved_tensors
        shape = gradient.shape[:-1]
        gradient = gradient.reshape(-1, gradient.shape[-1])
        rounded = gradient.bfloat16()
        return (rounded @ weight).float().view(*shape, -1), (rounded.t() @ rows).float(), gradient.sum(0)


def linear(x, weight, bias):
    """x times the weight transposed, plus the bias."""
    if ROUNDED and x.device.type == "cpu":
        return Rounded.apply(x, weight, bias)
    return F.linear(x, weight, bias)
