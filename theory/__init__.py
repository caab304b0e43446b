"""What is claimed and what counts as evidence: claims, regimes, statistics, verdicts and the ledger."""
