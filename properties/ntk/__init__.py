"""Claims about the tangent kernel at initialisation and networks that are nearly linear in their weights."""
