"""Windows over long states, as the library cuts and pools them (src/decide/windows.ts)."""
import math

import numpy as np


def split_windows(length, size, overlap):
    """Half-open ranges: the fewest windows of at most `size` tokens of which neighbours share `overlap` or a few more."""
    if length <= size:
        return [(0, length)]
    count = math.ceil((length - overlap) / (size - overlap))
    stride = (length - size) / (count - 1)
    return [(start, min(length, start + size)) for start in (int(index * stride + 0.5) for index in range(count))]


def softmax(values):
    powers = np.exp(values - np.max(values))
    return powers / powers.sum()


def pool(windows, sharpness):
    """One set of logits from several windows' calibrated ones; windows that found nothing hardly count."""
    if len(windows) == 1:
        return windows[0]
    count = len(windows[0])
    sure = [(softmax(logits).max() - 1 / count) / (1 - 1 / count) if count > 1 else 1.0 for logits in windows]
    weights = softmax(sharpness * np.array(sure))
    return sum(weight * logits for weight, logits in zip(weights, windows))
