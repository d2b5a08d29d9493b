"""Writes a tiny random bundle in the layout `tree-1` and the exact rows and logits of some requests, for the runtime to be held against."""
import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from model import Config, TreeDecider
from rendering import as_text, branch_text, option_texts
from tree import DECIDE, Layout, open_tokenizer

LONG = "The parcel came late and the box was open. " * 12
REQUESTS = [
    {"state": "The app crashes when I press save.", "questions": [
        {"type": "noul", "instructions": "Is this a bug?"},
        {"type": "noul", "instructions": "It is urgent.", "criteria": {"true": "somebody cannot work", "false": "it can wait"}},
        {"type": "choice", "instructions": "Which kind of issue is this?", "criteria": {"bug": "something is broken", "feature_request": None, "howTo": "somebody asks how to do something at all, at length"}},
        {"type": "score", "instructions": "How urgent is it?", "criteria": ["not at all", "some day", "today", "now"]}]},
    {"state": {"orderId": "A-17", "total": 120.5, "paid": True, "note": None, "tags": ["a", "b"], "by": {"first_name": "Ann"}, "none": []}, "questions": [
        {"type": "noul", "instructions": {"ask": "Is it paid?", "strictly": False}},
        {"type": "choice", "instructions": "", "criteria": {"x": "x", "_": "nothing", "GitHub": ["one", "two"]}},
        {"type": "score", "instructions": "Rate it.", "criteria": ["1", "2", "3", "4", "5", "6", "7"]}]},
    {"state": "Héllo [SEP] naïve [MASK] wörld — 東京 don't 3.14", "questions": [
        {"type": "choice", "instructions": "Language?", "criteria": {"en": "English", "de": "German [CLS]"}}, {"type": "score", "instructions": "One level", "criteria": ["only"]}]},
    {"state": "", "questions": [{"type": "noul", "instructions": "Is there anything?"}]},
    {"state": LONG, "questions": [{"type": "noul", "instructions": "Is somebody unhappy?"}]},
]


def own_tokenizer():
    """A WordPiece tokenizer in the form of BERT's with the words of the requests and all letters, with the id of a special token unlike BERT's."""
    words = sorted({word for request in REQUESTS[:2] for text in [as_text(request["state"])] for word in text.lower().replace(".", " ").split()} | {"the", "judge", "choose", "rate", "yes", "no"})
    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]
    tokenizer = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(dict.fromkeys(pieces))}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer


def tree_mask(trunk, parts):
    """Who sees whom in one question behind its trunk [rows, rows]."""
    part = torch.tensor([-1] * trunk + parts)
    row, column = part[:, None], part[None]
    return (column == -1) | ((row >= 0) & ((column == 0) | ((row == column) & (column > 0)) | (row == DECIDE)))


@torch.no_grad()
def answered(model, layout, request):
    """A request with its rows and logits."""
    trunk, found = layout.trunk(layout.ids(as_text(request["state"]))), []
    for question in request["questions"]:
        tokens, positions, levels, parts = layout.question(question, len(trunk))
        ends = [at for at, part in enumerate(parts) if part not in (0, DECIDE) and parts[at + 1] != part]
        segments = [1] * len(tokens)
        tensor = lambda head, rest: torch.tensor([[*head, *rest]])
        logits = model(tensor(trunk, tokens), tensor(range(len(trunk)), positions), tensor([0] * len(trunk), segments), tensor([0] * len(trunk), levels),
                       tree_mask(len(trunk), parts)[None, None], torch.tensor([len(trunk) + len(tokens) - 1]), torch.tensor(ends) + len(trunk), torch.zeros(len(ends), dtype=torch.long))
        found.append({"question": question, "texts": {"branch": branch_text(question), "leaves": option_texts(question)}, "tokens": tokens, "positions": positions, "segments": segments,
                      "levels": levels, "part": [-1 if part == DECIDE else part for part in parts], "logits": logits.tolist()})
    return {"state": request["state"], "text": as_text(request["state"]), "trunk": trunk, "questions": found}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json to use instead of a small one")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.tokenizer:
        open_tokenizer(args.tokenizer).save(str(args.out / "tokenizer.json"))
    else:
        own_tokenizer().save(str(args.out / "tokenizer.json"))
    layout = Layout(open_tokenizer(args.out / "tokenizer.json"))
    config = Config(vocab_size=layout.tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, layer_norm_eps=0.1)
    torch.manual_seed(7)
    model = TreeDecider(config).eval()
    for name, weight in model.named_parameters():
        torch.nn.init.normal_(weight, mean=1.0 if name.endswith("norm.weight") else 0.0, std=0.4)
    save_file({outer: weight.detach().float().contiguous() for _, outer, weight in model.named()}, args.out / "model.safetensors", metadata={"format": "pt"})
    (args.out / "config.json").write_text(json.dumps(config.written(), indent=2) + "\n")
    (args.out / "tessera.json").write_text(json.dumps({"name": "tiny-tree", "version": "1.0.0", "template": "tree-1", "readout": "scorer", "window": {"tokens": 320, "overlap": 64, "sharpness": 4}}, indent=2) + "\n")
    (args.out / "requests.json").write_text(json.dumps([answered(model, layout, request) for request in REQUESTS], ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
