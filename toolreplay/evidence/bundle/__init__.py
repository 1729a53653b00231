"""The bundle, `toolreplay-run/1`: one run with its evidence in one file, for an auditor."""
