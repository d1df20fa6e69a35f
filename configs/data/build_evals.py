"""Writes evals/*.eval: a made-up evaluation of a help desk's assistant, as Inspect writes its logs.

240 questions about 60 articles, in three languages and of three kinds, with three answers of each
of two models. A rule marks answers right or wrong, a judge does so too and is lenient, and a human
marked the first answers to 90 questions. The candidate is better, but not in Swahili.

    python configs/data/build_evals.py
"""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

FOLDER = Path(__file__).with_name("evals")
QUESTIONS, ARTICLES, ANSWERS, LABELLED, SEED = 240, 60, 3, 90, 20261129
GAINS = {"current": (0.0, 0.0), "candidate": (0.9, -0.2), "worse": (-0.9, -0.9)}
"""How much likelier, as a log odds ratio, a model's answers are right: elsewhere, and in Swahili."""


def draw_questions() -> dict[str, np.ndarray]:
    """What is known of each question."""
    rng = np.random.default_rng(SEED)
    article = rng.integers(0, ARTICLES, QUESTIONS)
    language = rng.choice(["English", "German", "Swahili"], QUESTIONS, p=[0.55, 0.25, 0.2])
    kind = rng.choice(["billing", "set-up", "privacy"], QUESTIONS, p=[0.4, 0.4, 0.2])
    ease = rng.normal(0.4, 1.2, QUESTIONS) + rng.normal(0, 0.8, ARTICLES)[article]
    ease -= 0.5 * (language == "Swahili")
    labelled = np.isin(np.arange(QUESTIONS), rng.choice(QUESTIONS, LABELLED, replace=False))
    return {
        "article": article, "language": language, "kind": kind, "ease": ease, "labelled": labelled
    }


def draw_samples(model: str) -> list[dict[str, object]]:
    """The answers of a model, as the summaries of a log."""
    about = draw_questions()
    gain, in_swahili = GAINS[model]
    rng = np.random.default_rng([SEED, *model.encode()])
    samples = []
    for k in range(QUESTIONS):
        own = in_swahili if about["language"][k] == "Swahili" else gain
        chance = 1 / (1 + np.exp(-(about["ease"][k] + own)))
        for epoch in range(1, ANSWERS + 1):
            right = rng.random() < chance
            passed = rng.random() < (0.93 if right else 0.2)
            scores = {"right": {"value": "CI"[not right]}, "judge": {"value": "CI"[not passed]}}
            if about["labelled"][k] and epoch == 1:
                human = right if rng.random() < 0.97 else not right
                scores["human"] = {"value": "CI"[not human]}
            tokens = int(rng.gamma(6, 30) * (1.15 if model == "candidate" else 1))
            metadata = {
                "article": f"article {about['article'][k]:02d}",
                "language": str(about["language"][k]),
                "kind": str(about["kind"][k]),
            }
            samples.append(
                {
                    "id": f"q{k:03d}",
                    "epoch": epoch,
                    "input": "(left out)",
                    "target": "(left out)",
                    "scores": scores,
                    "metadata": metadata,
                    "model_usage": {model: {"total_tokens": tokens}},
                }
            )
    return samples


def write_log(path: Path, model: str, name: str = "") -> None:
    """Write the log of a model, under its own name or another."""
    header = {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "help_desk",
            "model": f"example/{name or model}",
            "dataset": {"name": "help_desk", "samples": QUESTIONS},
            "config": {"epochs": ANSWERS},
        },
        "results": {"total_samples": QUESTIONS * ANSWERS},
    }
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as log:
        for part, content in (("header.json", header), ("summaries.json", draw_samples(model))):
            entry = ZipInfo(part)  # of 1980, so that the same evaluation gives the same bytes
            entry.compress_type = ZIP_DEFLATED
            log.writestr(entry, json.dumps(content, separators=(",", ":")))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in ("current", "candidate"):
        write_log(FOLDER / f"{each}.eval", each)
