"""Claims of Guo, Li and Lerman (2024): one file per theme, helpers beside them."""

# What the symbols of the paper stand for.
import bounds.papers.guo2024  # noqa: F401
