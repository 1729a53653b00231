"""Speed and memory against a plain baseline, and what hostile files cost; nothing here is shipped."""
