"""Claims of Allen-Zhu, Li and Song (2018): one file per theme, helpers beside them."""

# What the symbols of the paper stand for.
import bounds.papers.allenzhu2018rnn  # noqa: F401
