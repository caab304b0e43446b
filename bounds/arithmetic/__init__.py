"""Numbers of other kinds than floats, and formulas as functions of them: balls, intervals, logarithms."""
