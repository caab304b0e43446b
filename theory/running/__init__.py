"""A claim under the conditions of one run, and its trials in blocks on any number of workers."""
