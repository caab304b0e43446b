"""`python -m lemmata new KEY:STATEMENT --kind KIND` writes a new claim file; see `theory.surface.skeleton`."""

import sys

from theory.surface.skeleton import main

sys.exit(main())
