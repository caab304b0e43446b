"""The pytest surface: collecting claims, the options of a run, one test item per claim, the ledger at the end."""
