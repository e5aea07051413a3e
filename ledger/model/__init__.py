"""The nouns: frozen values that every part shares. Nothing here reads a disk, a clock or a network."""
