"""What training makes smaller."""
import torch
import torch.nn.functional as F

from batches import per_question
from rendering import KINDS

SMOOTHING, RANKED = 0.05, 0.5


def loss_of(logits, batch):
    """Cross-entropy with smoothed labels, for scores also the ranked probability score (a near miss costs less than a far one); and which are right."""
    owner = batch["inputs"][-1]
    table, slot = per_question(logits, owner, len(batch["kinds"]))
    return loss_of_table(table, owner, slot, torch.bincount(owner), batch)


def loss_of_table(table, owner, slot, sizes, batch):
    """The same of logits in a table [questions, most options], where each option's slot and each question's number of options are known."""
    gold = torch.zeros_like(table)
    gold[owner, slot] = batch["gold"]
    sizes = sizes.unsqueeze(1)
    logs = F.log_softmax(table, -1)
    smooth = torch.where(table.isinf(), 0.0, (1 - SMOOTHING) * gold + SMOOTHING / sizes)
    entropy = -(smooth * logs.masked_fill(table.isinf(), 0)).sum(-1)
    ranked = ((logs.exp() - gold).cumsum(-1) ** 2).sum(-1) * (batch["kinds"] == KINDS["score"])
    return entropy.mean() + RANKED * ranked.mean(), table.argmax(-1) == gold.argmax(-1)
