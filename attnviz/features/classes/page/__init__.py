"""What the app's pages show of classes."""
