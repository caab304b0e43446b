"""`python -m lemmata new KEY:STATEMENT --kind KIND` writes a new claim file; see `theory.skeleton`."""

import sys

from theory.skeleton import main

sys.exit(main())
