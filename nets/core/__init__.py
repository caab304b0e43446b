"""Arrays as kernels see them, the house decorator for kernels, and the memory that arrays may take."""
