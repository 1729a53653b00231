"""The profile toolreplay/1: what our receipts commit to, and the entries a run is made of."""
