"""What is claimed and what counts as evidence: claims, regimes, statistics, verdicts and the ledger."""

from theory.core.names import answer_to_lemmata

answer_to_lemmata()
