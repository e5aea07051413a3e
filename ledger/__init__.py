"""Provenance and evidence ledger for deep-learning experiments.

Importing this package loads nothing heavy: the public names below are resolved on first use (PEP 562).
"""

__version__ = "0.1.0"

# public name -> (module, attribute); the module is imported when the name is first used
_LAZY = {
    "start": ("ledger.api", "start"),
    "runs": ("ledger.api", "runs"),
    "disclose": ("ledger.api", "disclose"),
}

__all__ = ["__version__", "disclose", "runs", "start"]


def __getattr__(name: str) -> object:
    try:
        module, attribute = _LAZY[name]
    except KeyError:
        raise AttributeError(f"module 'ledger' has no attribute {name!r}") from None
    from importlib import import_module

    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
