"""The life of a run: launch a command or join a training script, record what it says, hand the result to `seal`.

Enters: a command or a `with ledger.start(...)` block. Leaves: a sealed run, also when the training failed. Logging
from a training script never raises into it.
"""
