"""One transformer of diffusers on the CPU: a line with its version when it is ready, then a
line of milliseconds for every line on stdin, each of which runs a step.

python torch-step.py flux2|z-image FOLDER SIDE TEXT_TOKENS THREADS float32|bfloat16
"""

import json
import sys
import time

import torch
from diffusers import Flux2Transformer2DModel, ZImageTransformer2DModel
from safetensors.torch import load_file

kind, folder, side, text_tokens, threads, dtype = sys.argv[1:]
torch.set_num_threads(int(threads))
dtype = getattr(torch, dtype)
side, text_tokens = int(side), int(text_tokens)
config = json.load(open(f"{folder}/config.json"))
cls = Flux2Transformer2DModel if kind == "flux2" else ZImageTransformer2DModel
with torch.device("meta"):
    model = cls.from_config(config)
weights = load_file(f"{folder}/model.safetensors")
model.load_state_dict({name: weight.to(dtype) for name, weight in weights.items()}, assign=True)
model.eval()


def flux2():
    grid = side // 16
    zero = torch.zeros(1, dtype=torch.int64)
    ids = torch.cartesian_prod(zero, torch.arange(grid), torch.arange(grid), zero)
    text_ids = torch.cartesian_prod(zero, zero, zero, torch.arange(text_tokens))
    tokens = torch.randn(1, grid * grid, config["in_channels"], dtype=dtype)
    text = torch.randn(1, text_tokens, config["joint_attention_dim"], dtype=dtype)
    return lambda: model(
        hidden_states=tokens, encoder_hidden_states=text, timestep=torch.tensor([0.5], dtype=dtype), img_ids=ids[None],
        txt_ids=text_ids[None], guidance=None, return_dict=False,
    )


def z_image():
    latents = torch.randn(config["in_channels"], 1, side // 8, side // 8, dtype=dtype)
    text = torch.randn(text_tokens, config["cap_feat_dim"], dtype=dtype)
    return lambda: model([latents], torch.tensor([0.5], dtype=dtype), [text], return_dict=False)


step = flux2() if kind == "flux2" else z_image()
print(json.dumps(torch.__version__), flush=True)
with torch.inference_mode():
    for _ in sys.stdin:
        started = time.perf_counter()
        step()
        print(1000 * (time.perf_counter() - started), flush=True)
