"""Claims of Guo, Li and Lerman (2024): one file per theme, helpers beside them."""
