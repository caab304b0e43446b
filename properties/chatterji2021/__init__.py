"""Claims of Chatterji, Long and Bartlett (2021): one file per theme, helpers beside them."""
