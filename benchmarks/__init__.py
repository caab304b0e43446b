"""One benchmark per kernel: compile outside the timer, problem size and result quality beside the time."""
