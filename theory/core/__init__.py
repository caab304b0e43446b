"""What everything here speaks with: verdicts, measurements, statistics, seeds, refusals. It imports no other folder."""
