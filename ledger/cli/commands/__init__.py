"""One module per command. Each parses, calls one function of the core, prints, and returns the exit status."""
