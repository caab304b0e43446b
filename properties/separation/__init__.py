"""Claims on separation of layer outputs."""
