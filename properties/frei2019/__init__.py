"""Claims of Frei, Cao and Gu (2019): one file per theme, helpers beside them."""

# What the symbols of the paper stand for.
import bounds.papers.frei2019  # noqa: F401
