"""Start `record mcp` for a client that passes no environment on: wrapper.py STORE COMMAND…"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from toolreplay.__main__ import main  # noqa: E402

sys.argv[1:] = ["record", "mcp", "--store", sys.argv[1], "--", *sys.argv[2:]]
sys.exit(main())
