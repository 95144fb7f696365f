"""What each feature brings to the table of links."""
