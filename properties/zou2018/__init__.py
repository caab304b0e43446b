"""Claims of Zou, Cao, Zhou and Gu (2018): one file per theme, helpers beside them."""

# What the symbols of the paper stand for.
import bounds.papers.zou2018  # noqa: F401
