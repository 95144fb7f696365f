"""Tables of numbers as people paste, type, upload and print them."""
