"""Counterexamples by hand, a file each: what a claim measured and what is claimed, by some lines of numpy.

A file is named by its claim, `zou2018.lemma-A.11.py`. It needs nothing of this project, so that the author of a paper
can run it, and prints two numbers; the report to the authors shows it, and a unit test holds both against the claim.
"""
