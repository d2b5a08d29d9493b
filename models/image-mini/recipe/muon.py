"""Muon for the large convolutions of the autoencoder, as matrices of what comes out by what comes in; AdamW for the rest."""
import torch

LEAST = 64


def orthogonal(matrix):
    """Newton and Schulz's steps towards the nearest orthogonal matrix (Jordan et al., 2024)."""
    x = matrix.bfloat16()
    x = x / (x.norm() + 1e-7)
    wide = x.shape[0] <= x.shape[1]
    x = x if wide else x.T
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x if wide else x.T).float()


class ConvolutionMuon(torch.optim.Optimizer):
    def __init__(self, parameters, lr, momentum=0.95):
        super().__init__(parameters, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                state["momentum"].lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp(state["momentum"], group["momentum"]).flatten(1)
                # Every update has the size that a fresh weight has, times the rate.
                scale = (update.shape[0] / min(update.shape)) ** 0.5 * update.shape[1] ** -0.5
                p.add_(orthogonal(update).view(p.shape).to(p), alpha=-group["lr"] * scale * min(update.shape) ** 0.5)


def make_optimizers(model, rate):
    """rate is AdamW's; Muon's moves a weight by ten times that of its size."""
    large = [p for p in model.parameters() if p.ndim == 4 and p.shape[0] >= LEAST and p.shape[1] >= LEAST]
    chosen = {id(p) for p in large}
    others = [p for p in model.parameters() if id(p) not in chosen]
    return [ConvolutionMuon(large, lr=10 * rate), torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0)]
