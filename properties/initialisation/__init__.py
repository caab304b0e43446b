"""Claims on the network at initialisation."""
