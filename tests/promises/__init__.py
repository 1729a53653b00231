"""What the house promises about itself. Each check is proven on a planted offender."""
