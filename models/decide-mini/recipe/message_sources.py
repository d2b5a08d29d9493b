"""Texts that `message_questions.py` asks about: messages of the training rows by what is known of them, and plain text by where it is from."""
import json
import lzma
import re

import message_kinds as kinds
from plain_texts import Texts
from rendering import as_text

EMOTIONS = ("goemotions-train", "xed", "natural-instructions/task517", "natural-instructions/task1338")
SUPPORT = ("bitext-support", "banking77", "multidogo")


def message_of(state):
    """The words of a state that is one message, empty for any other."""
    if isinstance(state, dict):
        state = next((state[name] for name in ("message", "text", "content", "body") if isinstance(state.get(name), str)), "")
    return state if isinstance(state, str) and "\n" not in state and 8 < len(state) < 300 else ""


def tone_of(row):
    """-2 to 2 by the emotion that was chosen for it, None where that says nothing of its tone."""
    for question in row["questions"]:
        if question["type"] == "choice":
            label = f"{question['gold']}: {as_text(question['criteria'][question['gold']])}".lower()
            return next((tone for tone, pattern in kinds.TONES if re.search(pattern, label)), None)
    return None


class Sources:
    """Messages of the training rows by what is known of them, and pieces of plain text by where they are from."""

    def __init__(self, data):
        self.toned, self.pleasant, self.questions, self.support, self.captions, messages = [], [], [], [], [], []
        for path in sorted(data.glob("decisions-train-0*.jsonl.xz")):
            with lzma.open(path, "rt") as lines:
                for row in map(json.loads, lines):
                    if not (message := message_of(row["state"])):
                        continue
                    if row["source"].startswith(EMOTIONS) and (tone := tone_of(row)) is not None:
                        self.toned.append((message, tone))
                    if row["source"] == "emobank":
                        self.pleasant.extend((message, question["soft"]) for question in row["questions"] if "pleasant" in question["criteria"][0] and question.get("soft"))
                    if row["source"].startswith(SUPPORT):
                        self.support.append(message)
                    if message.rstrip().endswith("?") and re.match(r"[A-Za-z]", message) and "math" not in row["source"]:
                        self.questions.append(message)
                    messages.append(message)
        self.messages = list(dict.fromkeys(messages))
        self.texts = {name: [Texts(path, 12_000_000) for path in sorted(data.glob(f"pretrain-{name}-*.txt.xz"))] for name in kinds.GENRES}
