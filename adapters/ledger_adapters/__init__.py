"""Everything that needs a third-party library or a service, behind the protocols of `ledger.ports`."""
