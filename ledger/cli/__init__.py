"""The command line: thin, lazy, and the only place that prints.

One module per command under `commands/`; `table.COMMANDS` names them, so that `ledger --help` imports none.
"""
