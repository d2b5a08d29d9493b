"""Sources as the trained encoder reads them, so that the transformer learns to edit in spite of its errors."""
import numpy as np
import torch

from autoencoder import Config, Decoder, Encoder, in_range
from content import pack, unpack
from scenes import Renderer

# Share of the pictures that the decoder has drawn.
DRAWN = 0.4


class Reader:
    def __init__(self, data, work, device, contents, precise=False):
        """work is the folder with the checkpoints of encoder and decoder; precise for products in float32."""
        self.renderer, self.device, self.contents, self.precise = Renderer(data), device, contents, precise
        self.encoder, self.decoder = Encoder(Config()), Decoder(Config())
        for name, part in (("encoder", self.encoder), ("decoder", self.decoder)):
            part.load_state_dict(torch.load(work / f"{name}.pt", map_location=device)["model"])
            part.to(device, memory_format=torch.channels_last)

    @torch.no_grad()
    def read(self, scenes):
        """Tokens [B,64,120] of the scenes' pictures."""
        count = round(DRAWN * len(scenes))
        pictures = in_range(np.stack([self.renderer.render(scene) for scene in scenes[count:]])).to(self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=not self.precise):
            if count > 0:
                drawn = self.decoder(unpack(self.contents.encode(scenes[:count]).to(self.device)))
                pictures = torch.cat([drawn.float().clamp(-1, 1), pictures])
            found = self.encoder(pictures.contiguous(memory_format=torch.channels_last))
        return pack(found.float()[:, :Config().latent_channels])
