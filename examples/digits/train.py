"""Train one method with one seed, test it once, and seal the run.

    python train.py cnn --seed 1
    python train.py cnn --seed 1 --set epochs=5      # the same with another setting: sealed beside the first

The epoch is chosen by validation accuracy alone; the test images are touched once, by the chosen weights.
"""

import argparse
import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from models import augment, build
from torch import Tensor
from torch.nn.functional import cross_entropy, softmax

import ledger

Split = tuple[list[str], Tensor, Tensor]


def resolve(method: str, overrides: list[str]) -> dict[str, Any]:
    """The one flat configuration of this run: defaults, then the method's keys, then `--set`."""
    file = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    if method not in file["methods"]:
        raise SystemExit(f"config.yaml: there is no method {method!r}; choose from {', '.join(file['methods'])}")
    config = {**file["defaults"], **file["methods"][method]}
    for setting in overrides:
        key, _, value = setting.partition("=")
        if key not in config:
            raise SystemExit(f"--set {setting}: {method} has no key {key!r}; it has {', '.join(config)}")
        config[key] = yaml.safe_load(value)
    return config


def load(folder: Path, name: str) -> Split:
    """Ids, images scaled to [0, 1], and labels of one split."""
    ids = (folder / f"{name}.ids").read_text(encoding="utf-8").split()
    rows = dict(line.split(",") for line in (folder / "labels.csv").read_text(encoding="utf-8").split()[1:])
    images = np.load(folder / "images.npy")[[int(item.removeprefix("digit-")) for item in ids]]
    labels = torch.tensor([int(rows[item]) for item in ids])
    return ids, torch.from_numpy(images).float().unsqueeze(1) / 16, labels


def train(run: Any, config: dict[str, Any], seed: int, training: Split, validation: Split) -> torch.nn.Module:
    """The network at the epoch of best validation accuracy (the earliest of equals)."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = build(config)
    momenta = [torch.zeros_like(weight) for weight in model.parameters()]
    best, best_accuracy = copy.deepcopy(model.state_dict()), -1.0
    for epoch in range(1, config["epochs"] + 1):
        model.train()
        rate = config["lr"] * (1 + math.cos(math.pi * (epoch - 1) / config["epochs"])) / 2
        losses = []
        for batch in torch.randperm(len(training[0]), generator=generator).split(config["batch_size"]):
            images, labels = training[1][batch], training[2][batch]
            if config["augment"]:
                images = augment(images, generator, config["max_shift"], config["max_rotation"])
            loss = cross_entropy(model(images), labels)
            descend(model, torch.autograd.grad(loss, list(model.parameters())), momenta, rate, config)
            losses.append(loss.item() * len(batch))
        accuracy = float((predict(model, validation[1]).argmax(1) == validation[2]).double().mean())
        run.log(step=epoch, train_loss=sum(losses) / len(training[0]), val_accuracy=accuracy)
        if accuracy > best_accuracy:
            best, best_accuracy = copy.deepcopy(model.state_dict()), accuracy
            run.checkpoint("best", best, metric="val_accuracy", step=epoch)
    run.checkpoint("last", model.state_dict(), step=config["epochs"])
    model.load_state_dict(best)
    run.result("val_accuracy", best_accuracy, split="val", n=len(validation[0]), dataset="digits",
               direction="higher_is_better", unit="fraction")  # fmt: skip
    return model


@torch.no_grad()
def descend(model: torch.nn.Module, gradients: Any, momenta: list[Tensor], rate: float, config: dict[str, Any]) -> None:
    """One step of SGD with momentum. By hand, because `torch.optim` loads the compiler: a second per process."""
    for weight, gradient, momentum in zip(model.parameters(), gradients, momenta, strict=True):
        momentum.mul_(config["momentum"]).add_(gradient + config["weight_decay"] * weight)
        weight.sub_(rate * momentum)


@torch.no_grad()
def predict(model: torch.nn.Module, images: Tensor) -> Tensor:
    """Class probabilities, one row per image."""
    model.eval()
    return softmax(model(images), dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("method")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides")
    parser.add_argument("--stamp", type=Path, help="write the id of the sealed run here, for the pipeline")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_deterministic_debug_mode("error")
    config = resolve(args.method, args.overrides)
    training, validation, test = (load(Path("data"), name) for name in ("train", "val", "test"))

    with ledger.start(args.method, config=config, seed=args.seed, data="data") as run:
        model = train(run, config, args.seed, training, validation)
        ids, images, labels = test
        confidence, chosen = predict(model, images).max(1)
        correct = (chosen == labels).int()
        accuracy = int(correct.sum()) / len(ids)
        run.result("accuracy", accuracy, split="test", n=len(ids), dataset="digits",
                   direction="higher_is_better", unit="fraction")  # fmt: skip
        columns = (ids, labels.tolist(), chosen.tolist(), correct.tolist(), confidence.tolist())
        names = ("item_id", "label", "prediction", "correct", "confidence")
        run.predictions([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)])
    print(f"test accuracy {accuracy:.4f} ({int(correct.sum())} of {len(ids)})")
    if args.stamp:
        args.stamp.parent.mkdir(parents=True, exist_ok=True)
        args.stamp.write_text(f"{run.id}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
