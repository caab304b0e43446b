"""What the LaTeX source of a paper says of its statements: their numbers, where they stand, what their proofs refer to.

`stream` reads files into one stream of tokens, `counters` numbers as LaTeX does, `document` finds statements, displays
and proofs, which are `items`, and `record` makes of these the record of a paper, and the text of a file `paper.py`.
"""
