from __future__ import annotations
from ledger.reconcile.quantity import find
class ProseReader:
    def __init__(self, sense, document, i, setting):
        self.b=document.blocks[i]
    def read(self):
        for q in find(self.b.text.text): yield q,self.b.text,None
