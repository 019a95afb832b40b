"""`python -m tillroll_spark` is the command."""

import sys

from .command import main

sys.exit(main())
