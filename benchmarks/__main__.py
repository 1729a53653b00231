"""`python3 -m benchmarks`: transcripts against the plain baseline."""

import sys

from benchmarks.transcripts import main

sys.exit(main())
