"""The run store: sealed runs, the objects they share, the log, and the checks over all of it.

Enters: staged folders that are complete. Leaves: runs that are never written again. The only writer of
`results/` and `.ledger/`.
"""
