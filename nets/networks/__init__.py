"""Networks of every architecture, their forward passes, losses and gradients."""
