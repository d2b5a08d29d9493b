"""Sources as the trained encoder reads them, so that the transformer learns to edit in spite of its errors."""
import numpy as np
import torch

from autoencoder import Config, Encoder
from content import pack
from scenes import Renderer


class Reader:
    def __init__(self, data, path, device):
        """path is train_encoder.py's checkpoint."""
        self.renderer, self.device = Renderer(data), device
        self.encoder = Encoder(Config()).to(device, memory_format=torch.channels_last)
        self.encoder.load_state_dict(torch.load(path, map_location=device)["model"])

    @torch.no_grad()
    def read(self, scenes):
        """Tokens [B,64,120] of the scenes' pictures."""
        pictures = torch.from_numpy(np.stack([self.renderer.render(scene) for scene in scenes])).to(self.device)
        pictures = (pictures.permute(0, 3, 1, 2).float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device, torch.bfloat16):
            found = self.encoder(pictures)
        return pack(found.float()[:, :Config().latent_channels])
