"""Unit tests of the helpers of chatterji2021."""
