"""AutoencoderKLFlux2 without quant convolutions, under diffusers' parameter names."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    block_out_channels: tuple = (16, 32, 64, 128, 192)
    decoder_block_out_channels: tuple = (12, 24, 48, 96, 192)
    layers_per_block: int = 2
    latent_channels: int = 30
    norm_num_groups: int = 1
    batch_norm_eps: float = 1e-4
    sample_size: int = 256


class ResnetBlock(nn.Module):
    def __init__(self, inputs, outputs, groups):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(groups, inputs, eps=1e-6), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(groups, outputs, eps=1e-6), nn.Conv2d(outputs, outputs, 3, padding=1)
        if inputs != outputs:
            self.conv_shortcut = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x):
        h = self.conv2(F.silu(self.norm2(self.conv1(F.silu(self.norm1(x))))))
        return h + (self.conv_shortcut(x) if hasattr(self, "conv_shortcut") else x)


class Resample(nn.Module):
    def __init__(self, channels, up):
        super().__init__()
        self.up, self.conv = up, nn.Conv2d(channels, channels, 3, padding=1 if up else 0, stride=1 if up else 2)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0) if self.up else F.pad(x, (0, 1, 0, 1)))


class Level(nn.Module):
    def __init__(self, inputs, outputs, layers, groups, resample):
        super().__init__()
        self.resnets = nn.ModuleList(ResnetBlock(inputs if i == 0 else outputs, outputs, groups) for i in range(layers))
        if resample is not None:
            setattr(self, "upsamplers" if resample else "downsamplers", nn.ModuleList([Resample(outputs, resample)]))
        self.resample = resample

    def forward(self, x):
        for block in self.resnets:
            x = block(x)
        if self.resample is None:
            return x
        return (self.upsamplers if self.resample else self.downsamplers)[0](x)


class Attention(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.group_norm = nn.GroupNorm(groups, channels, eps=1e-6)
        self.to_q, self.to_k, self.to_v = (nn.Linear(channels, channels) for _ in range(3))
        self.to_out = nn.ModuleList([nn.Linear(channels, channels)])

    def forward(self, x):
        rows = self.group_norm(x).flatten(2).transpose(1, 2)
        q, k, v = self.to_q(rows), self.to_k(rows), self.to_v(rows)
        attended = (q @ k.transpose(1, 2) * q.shape[-1] ** -0.5).softmax(-1).to(v.dtype) @ v
        return x + self.to_out[0](attended).transpose(1, 2).unflatten(2, x.shape[2:])


class Middle(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.resnets = nn.ModuleList(ResnetBlock(channels, channels, groups) for _ in range(2))
        self.attentions = nn.ModuleList([Attention(channels, groups)])

    def forward(self, x):
        return self.resnets[1](self.attentions[0](self.resnets[0](x)))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        levels, groups = c.block_out_channels, c.norm_num_groups
        self.conv_in = nn.Conv2d(3, levels[0], 3, padding=1)
        self.down_blocks = nn.ModuleList(
            Level(levels[max(i - 1, 0)], n, c.layers_per_block, groups, False if i < len(levels) - 1 else None)
            for i, n in enumerate(levels))
        self.mid_block = Middle(levels[-1], groups)
        self.conv_norm_out = nn.GroupNorm(groups, levels[-1], eps=1e-6)
        self.conv_out = nn.Conv2d(levels[-1], 2 * c.latent_channels, 3, padding=1)

    def forward(self, x):
        x = self.conv_in(x)
        for block in self.down_blocks:
            x = block(x)
        return self.conv_out(F.silu(self.conv_norm_out(self.mid_block(x))))


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        levels, groups = c.decoder_block_out_channels[::-1], c.norm_num_groups
        self.conv_in = nn.Conv2d(c.latent_channels, levels[0], 3, padding=1)
        self.mid_block = Middle(levels[0], groups)
        self.up_blocks = nn.ModuleList(
            Level(levels[max(i - 1, 0)], n, c.layers_per_block + 1, groups, True if i < len(levels) - 1 else None)
            for i, n in enumerate(levels))
        self.conv_norm_out = nn.GroupNorm(groups, levels[-1], eps=1e-6)
        self.conv_out = nn.Conv2d(levels[-1], 3, 3, padding=1)

    def forward(self, z):
        x = self.mid_block(self.conv_in(z))
        for block in self.up_blocks:
            x = block(x)
        return self.conv_out(F.silu(self.conv_norm_out(x)))


def in_range(pictures):
    """uint8 [B,H,W,3] to [B,3,H,W], -1 to 1."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 127.5 - 1


def initialize(model):
    """Keeps the size of the signal along the trunk; torch's default would fade it out over so many convolutions."""
    for name, weight in model.named_parameters():
        if weight.ndim == 4:
            nn.init.normal_(weight, std=weight[0].numel() ** -0.5)
        if "to_" in name and weight.ndim == 2:
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
        if name.endswith(("conv2.weight", "bias", "to_out.0.weight")):
            nn.init.zeros_(weight)
    return model
