"""Claims of Allen-Zhu, Li and Song (2018): one file per theme, helpers beside them."""
