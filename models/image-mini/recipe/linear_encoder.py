"""Writes the projection on principal components into the layers of AutoencoderKLFlux2's encoder.

The first convolution that halves the picture takes means, the next ones gather its pixels into channels (2 x 2, then 4 x 4 of them) and
the last one projects; residual blocks add nothing. What is left is the final GroupNorm and SiLU, which are no linear functions. Two constant channels of +-LARGE keep the
norm's deviation constant, a channel of zeros shows what mean it subtracted, and an offset keeps SiLU where it is the identity.
"""
import torch

from principal import COMPONENTS, PATCH

LARGE, GAIN, OFFSET = 1000.0, 100.0, 20.0


def gather(weight, channels):
    """A halving convolution that puts the 2 x 2 pixels of each channel into four channels."""
    for channel in range(channels):
        for corner in range(4):
            weight[4 * channel + corner, channel, corner // 2, corner % 2] = 1


@torch.no_grad()
def write_projection(encoder, basis):
    """basis [192,16]: rows ordered colour, row, column of an 8 x 8 patch."""
    for parameter in encoder.parameters():
        parameter.zero_()
    for channel in range(3):
        encoder.conv_in.weight[channel, channel, 1, 1] = 1
    down = encoder.down_blocks
    for level, used in ((2, 12), (3, 48), (4, COMPONENTS)):
        for block in down[level].resnets:
            if hasattr(block, "conv_shortcut"):
                block.conv_shortcut.weight[:used, :used, 0, 0] = torch.eye(used)
    for channel in range(3):
        down[0].downsamplers[0].conv.weight[channel, channel, :2, :2] = 0.25
    gather(down[1].downsamplers[0].conv.weight, 3)
    gather(down[2].downsamplers[0].conv.weight, 12)
    project = down[3].downsamplers[0].conv
    pixels = basis.reshape(3, PATCH, PATCH, COMPONENTS)
    for channel in range(48):
        colour, y, x = channel // 16, channel // 4 % 4 // 2, channel // 4 % 2
        y, x = y + 2 * (channel % 4 // 2), x + 2 * (channel % 2)
        for corner in range(4):
            top, left = 4 * (corner // 2), 4 * (corner % 2)
            project.weight[:COMPONENTS, channel, corner // 2, corner % 2] = pixels[colour, top + y, left + x]
    width = project.weight.shape[0]
    project.bias[-2], project.bias[-1] = LARGE, -LARGE
    norm, empty = encoder.conv_norm_out, width - 3
    norm.weight[:empty + 1], norm.bias[:empty + 1] = GAIN, OFFSET
    deviation = LARGE * (2 / width) ** 0.5
    for channel in range(COMPONENTS):
        encoder.conv_out.weight[channel, channel, 1, 1] = deviation / GAIN
        encoder.conv_out.weight[channel, empty, 1, 1] = -deviation / GAIN
