"""Claims of Chatterji, Long and Bartlett (2021): one file per theme, helpers beside them."""

# What the symbols of the paper stand for.
import bounds.papers.chatterji2021  # noqa: F401
