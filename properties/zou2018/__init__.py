"""Claims of Zou, Cao, Zhou and Gu (2018): one file per theme, helpers beside them."""
