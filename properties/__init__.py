"""The claims: one folder per paper, one file per theme in it, one block per statement."""
