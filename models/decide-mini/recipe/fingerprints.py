"""Which states may not be trained on: those of an evaluation, by a list of hashes, and one in 25, which is kept for probes."""
import hashlib
import json
import re

NOT_WORD = re.compile(r"[\W_]+")
KEPT = 25


def fingerprints(state):
    """The hashes that an evaluation state may have been noted under: its text alone, or as compact JSON."""
    texts = [state if isinstance(state, str) else json.dumps(state, ensure_ascii=False, separators=(",", ":"))]
    if isinstance(state, dict):
        texts += [value for value in state.values() if isinstance(value, str)]
    return {hashlib.sha256(NOT_WORD.sub("", text).lower().encode()).hexdigest()[:16] for text in texts}


def held_out(state):
    """Whether a state, or one of its texts, is kept for probes."""
    return any(int(found, 16) % KEPT == 0 for found in fingerprints(state))
