"""Unit tests of what the claims of allenzhu2018rnn measure with."""
