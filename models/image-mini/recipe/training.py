"""A training of a part of the autoencoder that goes on from its own checkpoint."""
import time
from dataclasses import asdict

import torch

from muon import make_optimizers

# Most seconds that a step counts: a pause of the process is no training time.
LONGEST = 30


class Training:
    """Its rate rises, stays and falls over the minutes of processor time that it is given; `spent` is in seconds."""

    def __init__(self, model, config, path, minutes, rate, device="cpu"):
        self.model, self.config, self.path, self.limit = model, config, path, minutes * 60
        self.optimizers = make_optimizers(model, rate)
        self.rates = [group["lr"] for group in self.groups()]
        self.spent, self.step = 0.0, 0
        if path.exists():
            saved = torch.load(path, map_location=device)
            model.load_state_dict(saved["model"])
            # Weights of a released bundle stand alone, and a training begins with them.
            for optimizer, state in zip(self.optimizers, saved.get("optimizers", ())):
                optimizer.load_state_dict(state)
            self.spent, self.step = saved.get("spent", 0.0), saved["step"]
        self.tick = time.process_time()

    def groups(self):
        return [group for optimizer in self.optimizers for group in optimizer.param_groups]

    def goes_on(self):
        return self.spent < self.limit

    def learn(self, loss):
        progress = self.spent / self.limit
        scale = min(1, progress / 0.02 + 0.01, max(0.02, (1 - progress) / 0.5))
        for group, rate in zip(self.groups(), self.rates):
            group["lr"] = rate * scale
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        now = time.process_time()
        self.spent, self.tick, self.step = self.spent + min(now - self.tick, LONGEST), now, self.step + 1

    def save(self):
        torch.save({"model": self.model.state_dict(), "optimizers": [o.state_dict() for o in self.optimizers], "config": asdict(self.config),
                    "spent": self.spent, "step": self.step}, self.path.with_suffix(".tmp"))
        self.path.with_suffix(".tmp").rename(self.path)
