"""Claims on the statements that `main.tex` has."""
