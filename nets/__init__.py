"""Networks, their gradients, their training and their data: arrays in, arrays out."""
