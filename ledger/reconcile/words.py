"""Words: how a name, a metric, a data set or a split is recognised however it is written.

Names are compared as sequences of letter runs and digit runs, so `ResNet-50`, `resnet50` and `resnet_50` are one;
metrics as sets of canonical tokens, so `Top-1 accuracy (%)`, `acc@1` and `top1` are one. The tables here are the
field's general vocabulary, never a project's own: those names come from the claims and their aliases.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())


TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|\+(?!/-)")
_EXTENSION = re.compile(
    r"\.(?:py|ya?ml|json|csv|tsv|pth|pt|ckpt|md|onnx|safetensors|toml|ipynb|tar|gz|zip|bin|log|txt|html?|sh)$",
    re.IGNORECASE,
)

# one spelling per token of a metric; several tokens where the word says several things
_METRIC_TOKENS: dict[str, tuple[str, ...]] = {
    "accuracy": ("acc",), "accuracies": ("acc",), "准确率": ("acc",), "精度": ("acc",), "prec1": ("top1",),
    "acc1": ("top1",), "acc5": ("top5",), "bbox": ("box",), "map": ("ap",), "mmap": ("ap",),
    "param": ("params",), "parameters": ("params",), "parameter": ("params",), "参数量": ("params",), "参数": ("params",),
    "paramcount": ("params",), "mem": ("memory",), "gflops": ("flops",), "gflop": ("flops",), "mflops": ("flops",),
    "flop": ("flops",), "gmac": ("macs",), "gmacs": ("macs",), "mac": ("macs",), "mmacs": ("macs",), "mmac": ("macs",),
    "inf": ("inference",), "infer": ("inference",), "miou": ("mean", "iou"), "training": ("train",), "perplexity": ("ppl",),
    "f1score": ("f1",), "auroc": ("auc", "roc"), "rocauc": ("auc", "roc"), "aucroc": ("auc", "roc"), "auprc": ("auc", "pr"),
    "r": ("recall",), "err": ("error",), "errors": ("error",), "avg": ("mean",), "average": ("mean",), "precision": ("precision",),
    "bleu4": ("bleu",), "throughput": ("throughput",), "speed": ("speed",), "tps": ("throughput",),
}  # fmt: skip
_PREFIXED = {
    "r": "recall",
    "rec": "recall",
    "p": "precision",
    "acc": "top",
    "prec": "precision",
    "map": "ap",
    "bleu": "bleu",
}
# words of a header that say nothing about which metric it is
BENIGN = word_set(
    "value values score scores result results the of on in at for a an our ours this number num no count total performance "
    "metric metrics we is and by with rate std sd seeds seed runs over mean reported"
)
_KEEP_ALONE = frozenset({"mean", "count", "rate", "std"})
# a column or phrase with such a word speaks of somebody else's number, or of a spread
FOREIGN = word_set(
    "official reference ref reported paper original orig converted published authors tta std stddev stdev sem sd variance deviation spread "
    "delta diff difference gain improvement change drop"
)
# words by which a column says that it holds the spread of its neighbour
SPREAD = frozenset(
    ("std", "stddev", "stdev", "sem", "sd", "variance", "standard", "deviation", "dev", "error", "spread", "±")
)
# words by which an upper head says that it names a metric and not a group of data sets
METRICS = word_set(
    "acc top1 top5 ap iou psnr ssim f1 precision recall auc fps latency params flops macs memory loss error bleu rouge wer cer "
    "ppl rmse mae mse fid lpips time speed throughput"
)
# metrics that are shares, and so never in seconds or bytes
SHARES = word_set("acc top1 top5 ap iou f1 precision recall auc")
SPLITS: dict[str, str] = {
    "train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "dev", "development": "dev",
    "test": "test", "testing": "test", "testdev": "testdev", "minival": "minival", "heldout": "heldout",
}  # fmt: skip
DATASETS = (
    "ImageNet", "ImageNet-1k", "ImageNet-21k", "ImageNet-22k", "ImageNet-V2", "ImageNet-A", "ImageNet-R", "ImageNet-C",
    "CIFAR-10", "CIFAR-100", "MNIST", "Fashion-MNIST", "SVHN", "STL-10", "Tiny ImageNet", "COCO", "LVIS", "Objects365",
    "Open Images", "CrowdHuman", "Pascal VOC", "VOC", "ADE20K", "Cityscapes", "KITTI", "nuScenes", "Waymo", "DOTA", "MOT17",
    "MOT20", "YouTube-VIS", "Kinetics-400", "Kinetics-600", "Something-Something", "UCF101", "HMDB51", "AVA", "Set5", "Set14",
    "BSD100", "Urban100", "Manga109", "DIV2K", "GLUE", "SuperGLUE", "SQuAD", "MNLI", "SST-2", "CoLA", "QQP", "MRPC", "RTE",
    "WikiText-103", "WikiText-2", "PTB", "enwik8", "LAMBADA", "HellaSwag", "MMLU", "GSM8K", "HumanEval", "MBPP", "ARC",
    "LibriSpeech", "VCTK", "MovieLens", "LFW", "CelebA", "FFHQ", "Market-1501", "RefCOCO", "Flickr30k", "VQAv2", "ScanNet",
    "ShapeNet", "ModelNet40", "S3DIS", "SemanticKITTI", "Places365", "iNaturalist", "WMT14", "CoNLL-2003", "OntoNotes",
)  # fmt: skip
_UNIT_IN_HEAD = re.compile(r"[(\[（]\s*([^()\[\]（）]{1,16}?)\s*[)\]）]")
_ARROWS = re.compile("[↑↓⬆⬇▲▼]+|\\b(?:higher|lower) is better\\b", re.IGNORECASE)
_HEAD_UNITS = word_set(
    "% pp k m g b t k/s ms s us µs ns sec seconds min mins h hours db gb mb kb gib mib fps hz khz mhz img/s it/s w wh kwh px "
    "million billion"
)


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """Letter runs and digit runs of a name, case folded."""
    return tuple(match.group() for match in TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()))


def squash(text: str) -> str:
    """Only the letters and digits, case folded."""
    return "".join(tokens(text))


def stem(link: str) -> str:
    """Last component of a path or address, without query, anchor and known file endings."""
    last = link.split("#")[0].split("?")[0].rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    while True:
        shorter = _EXTENSION.sub("", last)
        if shorter == last:
            return last
        last = shorter


@lru_cache(maxsize=16384)
def head_unit(text: str) -> tuple[str, str]:
    """A column head without arrows and unit, and the unit: `Params (M)` gives `Params ` and `M`."""
    bare = _ARROWS.sub(" ", text)
    unit = ""
    for match in _UNIT_IN_HEAD.finditer(bare):
        inner = match.group(1).strip()
        for part in re.split(r"[,;]\s*", inner):
            if part.lower() in _HEAD_UNITS or part == "％":
                unit = unit or part
        if unit and re.split(r"[,;]\s*", inner)[0].lower() in _HEAD_UNITS | {"％"}:
            bare = bare.replace(match.group(), " ", 1)
    tail = re.search(r"[\[,/ ]\s*(%|％)\s*\]?\s*$", bare)
    if not unit and tail:
        unit, bare = "%", bare[: tail.start()]
    scaled = re.search(r"\b([GM])(?:FLOP|MAC)s?\b", bare, re.IGNORECASE)
    return bare, unit or (scaled.group(1).upper() if scaled else "")


@lru_cache(maxsize=16384)
def metric_tokens(text: str) -> frozenset[str]:
    """The canonical tokens of a metric's name; numbers join the word before them: `AP@0.5` is `ap0.5`."""
    flat = unicodedata.normalize("NFKC", head_unit(text)[0]).casefold()
    out: list[str] = []
    word_end = -1  # where the last word ended, -1 when a number has joined it
    for match in re.finditer(r"[^\W\d_]+|\d*\.?\d+(?:[:.]\d+)*%?", flat):
        token = match.group()
        if token[0].isdigit() or token[0] == ".":
            if word_end >= 0 and flat[word_end : match.start()].strip("-_@^ ") == "":
                out[-1] = _numbered(out[-1], token)
            word_end = -1
        else:
            out.append(token)
            word_end = match.end()
    canonical: set[str] = set()
    for token in out:
        canonical.update(_METRIC_TOKENS.get(token, (token,)))
    if "top1" in canonical or "top5" in canonical:
        canonical.discard("acc")
    return frozenset(canonical)


def _numbered(word: str, number: str) -> str:
    number = re.sub(r"^0?\.(\d)$", r"\g<1>0", number)  # AP@0.5 is AP50
    number = re.sub(r"^0?\.(\d\d)$", r"\1", number)
    return _PREFIXED.get(word, word) + number


def content_tokens(found: frozenset[str]) -> frozenset[str]:
    """Without the words that name no metric, unless nothing else is there."""
    rest = found - BENIGN
    return rest or (found & _KEEP_ALONE)


def split_of(token: str) -> str | None:
    """The split that a word names, or None."""
    return SPLITS.get(token)


def same_split(one: str, other: str) -> bool:
    """`val`, `dev` and `validation` are one, `test` is another; an empty one fits all."""
    first, second = SPLITS.get(squash(one), squash(one)), SPLITS.get(squash(other), squash(other))
    return not first or not second or first == second or {first, second} == {"val", "dev"}


def same_name(one: str, other: str) -> bool:
    """Whether two names of data sets mean one: equal, or one a shorter writing of the other."""
    first, second = squash(one), squash(other)
    short, long = sorted((first, second), key=len)
    return bool(short) and (first == second or (len(short) >= 4 and long.startswith(short)))
