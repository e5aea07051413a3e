"""Make a run's record final: capture the six provenance inputs, stage, collect, digest, publish, log.

Enters: a staging folder that a training process wrote into. Leaves: a sealed run. A run is never changed after.
"""
