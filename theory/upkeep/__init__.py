"""The suite's own upkeep, which a reader's run never loads: other seeds, other sizes, wrong code, replays."""
