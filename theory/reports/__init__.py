"""What a run leaves: ledger, terminal, page, pictures, errata, tables for papers."""
