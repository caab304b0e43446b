"""Claims of Frei, Cao and Gu (2019): one file per theme, helpers beside them."""
