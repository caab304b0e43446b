"""What is linear in the weights near the start of a network, and the margin of its features."""
