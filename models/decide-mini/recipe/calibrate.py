"""Temperatures per question type and number of options, and the bias of yes, by negative log-likelihood on labelled questions."""
import numpy as np

from windows import softmax

BUCKETS, ENOUGH = ("2", "3-5", "6-10", "11+"), 100


def bucket_of(options):
    return "2" if options <= 2 else "3-5" if options <= 5 else "6-10" if options <= 10 else "11+"


def fit_scale(samples):
    """The scale of logits that makes the right answers most likely: Newton's method on a convex function."""
    scale = 1.0
    for _ in range(50):
        slope, curve = 0.0, 1e-9
        for logits, gold in samples:
            chances = softmax(scale * logits)
            average = chances @ logits
            slope += average - logits[gold]
            curve += chances @ (logits - average) ** 2
        after = max(0.02, scale - slope / curve)
        if abs(after - scale) < 1e-9:
            break
        scale = after
    return scale


def fit_logistic(samples):
    """Slope and intercept of yes against the difference of the two logits."""
    x = np.array([logits[0] - logits[1] for logits, _ in samples])
    y = np.array([gold == 0 for _, gold in samples], float)
    slope, intercept = 1.0, 0.0
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(slope * x + intercept)))
        error, weight = chance - y, chance * (1 - chance)
        matrix = np.array([[(weight * x * x).sum() + 1e-6, (weight * x).sum()], [(weight * x).sum(), weight.sum() + 1e-6]])
        step = np.linalg.solve(matrix, [(error * x).sum(), error.sum()])
        slope, intercept = max(0.02, slope - step[0]), intercept - step[1]
        if np.abs(step).sum() < 1e-9:
            break
    return slope, intercept


def by_bucket(samples):
    """A temperature for each bucket; one with few questions takes that of its whole type."""
    whole, found = fit_scale(samples), {}
    for bucket in BUCKETS:
        members = [sample for sample in samples if bucket_of(len(sample[0])) == bucket]
        found[bucket] = 1 / (fit_scale(members) if len(members) >= ENOUGH else whole)
    return found


def fit(questions):
    """The calibration of `tessera.json` from questions with `type`, `logits` and `gold`."""
    of = lambda kind: [(question["logits"], question["gold"]) for question in questions if question["type"] == kind]
    slope, intercept = fit_logistic(of("noul"))
    return {"temperature": {"noul": 1 / slope, "choice": by_bucket(of("choice")), "score": by_bucket(of("score"))}, "noul_bias": intercept / slope}


def calibrated(kind, logits, calibration):
    """Logits as the library divides them."""
    if not calibration:
        return logits
    if kind == "noul":
        return (logits + np.array([calibration["noul_bias"], 0.0])) / calibration["temperature"]["noul"]
    return logits / calibration["temperature"][kind][bucket_of(len(logits))]
