"""The claim graph: EVIDENCE.json in, values resolved from selected runs, EVIDENCE.json out.

Enters: the user's claims and the run store. Leaves: the same claims with values, variance and the addresses of
the runs they came from. It never reads a document and never writes into a run.
"""
