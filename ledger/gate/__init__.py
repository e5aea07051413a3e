"""The delivery gate: five checks per shipping number, policies, reporters and the exit status.

Enters: findings and reports of every check. Leaves: text, JSON, `DISCLOSURES.md`, an exit status. It changes no
evidence.
"""
