"""Writes the trained parts as a bundle in the layout of diffusers' Flux2KleinPipeline, in half precision."""
import argparse
import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file

import autoencoder as vae
import text_encoder as words
from content import AT, CHANNELS, MARK
from known_words import counts, edit_words, known_words, objects, own_colors, synonyms
from make_tokenizer import PAD
from sample import SHIFT, STEPS
from scenes import GLYPHS, LONGEST_WORD, SIDE


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


def write_autoencoder(out, encoder, decoder):
    config = vae.Config()
    tensors = {f"{kind}.{name}": tensor for kind, part in (("encoder", encoder), ("decoder", decoder)) for name, tensor in part.items()}
    # Channels that tell the decoder's cells apart are the mean of what is denoised; all else has the size that it was given.
    mean = torch.zeros(CHANNELS)
    mean[AT["mark"]] = MARK
    tensors |= {"bn.running_mean": mean, "bn.running_var": torch.ones(CHANNELS) - config.batch_norm_eps}
    write_weights(out / "diffusion_pytorch_model.safetensors", tensors)
    levels = len(config.block_out_channels)
    write_json(out / "config.json", {
        "_class_name": "AutoencoderKLFlux2", "act_fn": "silu", "in_channels": 3, "out_channels": 3, **asdict(config),
        "down_block_types": ["DownEncoderBlock2D"] * levels, "up_block_types": ["UpDecoderBlock2D"] * levels,
        "mid_block_add_attention": True, "use_quant_conv": False, "use_post_quant_conv": False, "patch_size": [2, 2],
    })


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    saved = torch.load(args.work / "checkpoint.pt", map_location="cpu")
    encoder, decoder = (torch.load(args.work / f"{kind}.pt", map_location="cpu") for kind in ("encoder", "decoder"))
    parts = {kind: {name.removeprefix(f"{kind}."): tensor for name, tensor in saved["averaged"].items() if name.startswith(f"{kind}.")}
             for kind in ("text", "image")}

    write_autoencoder(args.out / "vae", encoder["model"], decoder["model"])
    write_weights(args.out / "transformer" / "diffusion_pytorch_model.safetensors", parts["image"])
    write_json(args.out / "transformer" / "config.json", {
        "_class_name": "Flux2Transformer2DModel", "patch_size": 1, "guidance_embeds": False, "out_channels": None,
        **saved["config"]["image"],
    })
    text = saved["config"]["text"]
    (args.out / "tokenizer").mkdir(parents=True, exist_ok=True)
    (args.out / "tokenizer" / "tokenizer.json").write_bytes((args.work / "tokenizer.json").read_bytes())
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
        "_class_name": "Flux2KleinPipeline", "is_distilled": True,
        "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"], "text_encoder": ["transformers", "Qwen3ForCausalLM"],
        "tokenizer": ["transformers", "PreTrainedTokenizerFast"], "transformer": ["diffusers", "Flux2Transformer2DModel"],
        "vae": ["diffusers", "AutoencoderKLFlux2"],
    })
    write_json(args.out / "tessera.json", {
        "text_encoder_out_layers": list(words.TAPS), "max_sequence_length": words.LENGTH,
        "num_inference_steps": STEPS, "guidance_scale": 1.0, "native_sizes": [[SIDE, SIDE]], "known_words": known_words(), "edit_words": edit_words(),
        "objects": objects(), "letters": {"known": GLYPHS, "longest": LONGEST_WORD}, "own_colors": own_colors(), "counts": counts(), "synonyms": synonyms(), "previews": "decoder", "keeps_source": True,
    })
    size = sum(file.stat().st_size for part in args.out.iterdir() if part.name != "recipe" for file in part.rglob("*") if file.is_file())
    print(f"step {saved['step']}, {saved['spent'] / 60:.0f} minutes; decoder step {decoder['step']}, encoder step {encoder['step']}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
