"""Writes the trained parts as a bundle in the layout of diffusers' Flux2KleinPipeline, in half precision."""
import argparse
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

import autoencoder as vae
import text_encoder as words
from extend_tokenizer import extend, id_of
from known_words import known_words, own_colors, synonyms
from linear_encoder import write_projection
from nouns import plural
from principal import Latents
from scenes import OBJECTS, SIDE, Renderer
from tasks import random_scene
from train_tokenizer import PAD

# Guidance 1.5 had the smallest error on scenes of one and two objects (of 1, 1.5, 2, 3); 6 to 12 steps made little difference.
STEPS, SHIFT, GUIDANCE = 8, 3.0, 1.5


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")


def write_weights(path, tensors):
    halves = {name: tensor.half().contiguous() for name, tensor in tensors.items()}
    for name, tensor in halves.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{name} is beyond half precision")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(halves, path, metadata={"format": "pt"})
    path.chmod(0o644)


def write_autoencoder(out, latents, decoder, data):
    config = vae.Config()
    encoder = vae.Encoder(config)
    write_projection(encoder, latents.basis)
    rng, renderer = np.random.default_rng(9), Renderer(data)
    pictures = np.stack([renderer.render(random_scene(rng)) for _ in range(8)])
    with torch.no_grad():
        mean = encoder(torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 127.5 - 1)[:, :config.latent_channels]
    error = (mean - latents.unpack(latents.encode(pictures))).abs().max().item()
    if error > 0.01:
        raise ValueError(f"the encoder's layers are {error} from the projection")
    tensors = {f"encoder.{name}": tensor for name, tensor in encoder.state_dict().items()}
    tensors |= {f"decoder.{name}": tensor for name, tensor in decoder.items()}
    tensors["bn.running_mean"] = latents.mean.repeat_interleave(4)
    tensors["bn.running_var"] = latents.deviation.square().repeat_interleave(4) - config.batch_norm_eps
    write_weights(out / "diffusion_pytorch_model.safetensors", tensors)
    levels = len(config.block_out_channels)
    write_json(out / "config.json", {
        "_class_name": "AutoencoderKLFlux2", "act_fn": "silu", "in_channels": 3, "out_channels": 3, **asdict(config),
        "down_block_types": ["DownEncoderBlock2D"] * levels, "up_block_types": ["UpDecoderBlock2D"] * levels,
        "mid_block_add_attention": False, "use_quant_conv": False, "use_post_quant_conv": False, "patch_size": [2, 2],
    })


def add_synonyms(tokenizer, embedding):
    """The tokenizer with the synonyms, and plurals that training didn't say, and the embeddings with the rows of what they stand for."""
    is_new = lambda word: len(tokenizer.encode(f" {word}", add_special_tokens=False).ids) > 1
    stand_ins = synonyms() | {plural(name): name for name in OBJECTS if is_new(plural(name))}
    wider = extend(tokenizer, list(stand_ins))
    rows = torch.zeros(1 + max(wider.get_vocab().values()), embedding.shape[1])
    rows[:len(embedding)] = embedding
    for word, name in stand_ins.items():
        for spaced in (True, False):
            rows[id_of(wider, word, spaced)] = rows[id_of(wider, name)]
    return wider, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    saved = torch.load(args.work / "checkpoint.pt", map_location="cpu")
    decoder = torch.load(args.work / "decoder.pt", map_location="cpu")
    parts = {kind: {name.removeprefix(f"{kind}."): tensor for name, tensor in saved["averaged"].items() if name.startswith(f"{kind}.")}
             for kind in ("text", "image")}

    write_autoencoder(args.out / "vae", Latents(args.work / "latents.npz"), decoder["model"], args.data)
    write_weights(args.out / "transformer" / "diffusion_pytorch_model.safetensors", parts["image"])
    write_json(args.out / "transformer" / "config.json", {
        "_class_name": "Flux2Transformer2DModel", "patch_size": 1, "guidance_embeds": False, "out_channels": None,
        **saved["config"]["image"],
    })
    text = saved["config"]["text"]
    tokenizer, rows = add_synonyms(Tokenizer.from_file(str(args.work / "tokenizer.json")), parts["text"]["embed_tokens.weight"])
    parts["text"]["embed_tokens.weight"], text["vocab_size"] = rows, len(rows)
    (args.out / "tokenizer").mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out / "tokenizer" / "tokenizer.json"), pretty=False)
    write_weights(args.out / "text_encoder" / "model.safetensors", {f"model.{name}": tensor for name, tensor in parts["text"].items()})
    write_json(args.out / "text_encoder" / "config.json", {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_act": "silu", "attention_bias": False,
        "tie_word_embeddings": True, "torch_dtype": "float16", **text,
    })
    write_json(args.out / "tokenizer" / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": PAD})
    write_json(args.out / "scheduler" / "scheduler_config.json", {
        "_class_name": "FlowMatchEulerDiscreteScheduler", "num_train_timesteps": 1000, "shift": SHIFT, "use_dynamic_shifting": False,
    })
    write_json(args.out / "model_index.json", {
        "_class_name": "Flux2KleinPipeline", "is_distilled": False,
        "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"], "text_encoder": ["transformers", "Qwen3ForCausalLM"],
        "tokenizer": ["transformers", "PreTrainedTokenizerFast"], "transformer": ["diffusers", "Flux2Transformer2DModel"],
        "vae": ["diffusers", "AutoencoderKLFlux2"],
    })
    write_json(args.out / "tessera.json", {
        "text_encoder_out_layers": list(words.TAPS), "max_sequence_length": words.LENGTH,
        "num_inference_steps": STEPS, "guidance_scale": GUIDANCE, "native_sizes": [[SIDE, SIDE]], "known_words": known_words(),
        "own_colors": own_colors(), "synonyms": synonyms(),
    })
    size = sum(file.stat().st_size for part in args.out.iterdir() if part.name != "recipe" for file in part.rglob("*") if file.is_file())
    print(f"step {saved['step']}, {saved['spent'] / 60:.0f} minutes; decoder step {decoder['step']}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
