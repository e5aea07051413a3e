"""From the claim graph to text: macros for LaTeX and Typst, a results table, disclosures.

Enters: claims with their stored values. Leaves: files under `generated/`, the same bytes for the same claims. It
reads no run and changes no claim.
"""

from ledger.deliver.build import render, write

__all__ = ["render", "write"]
