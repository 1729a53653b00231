"""Why a record can be believed: digests and the seal."""
