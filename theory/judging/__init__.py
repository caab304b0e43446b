"""From a claim to a row: verdict, controls, what the row sees, where its ratio goes."""
