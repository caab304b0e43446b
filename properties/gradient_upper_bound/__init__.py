"""Claims on gradients in closed form and their upper bounds."""
