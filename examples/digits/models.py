"""The three networks and the augmentation, all for 8 x 8 grey images."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import affine_grid, grid_sample


def build(config: dict[str, Any]) -> nn.Module:
    """The untrained network that `config["model"]` names."""
    if config["model"] == "linear":
        return nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    width = int(config["width"])
    if config["model"] == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))
    if config["model"] == "cnn":
        return nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(2 * width * 16, 64),
            nn.ReLU(),
            nn.Linear(64, 10),
        )
    raise SystemExit(f"config.yaml: there is no model {config['model']!r}; choose linear, mlp or cnn")


def augment(images: Tensor, generator: torch.Generator, max_shift: float, max_rotation: float) -> Tensor:
    """Each image shifted by up to `max_shift` pixels and turned by up to `max_rotation` degrees, uniformly."""
    n = len(images)
    noise = torch.rand((3, n), generator=generator) * 2 - 1
    angle = noise[0] * math.radians(max_rotation)
    shift = noise[1:] * max_shift * 2 / images.shape[-1]  # grid coordinates span 2 over the image's width
    cos, sin = torch.cos(angle), torch.sin(angle)
    matrix = torch.stack([torch.stack([cos, -sin, shift[0]], 1), torch.stack([sin, cos, shift[1]], 1)], 1)
    grid = affine_grid(matrix, list(images.shape), align_corners=False)
    return grid_sample(images, grid, align_corners=False)
