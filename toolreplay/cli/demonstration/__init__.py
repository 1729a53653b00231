"""The parts of `toolreplay demo`: a shop, an agent that works in it, an operator who forges."""
