"""The fixed program that the product is measured against; run it as a file."""
