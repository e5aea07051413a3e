"""Document readers, one module per format, each offering `READER` (see `ledger.ports.Reader`)."""
