"""What claims of two papers use; it imports no paper."""
