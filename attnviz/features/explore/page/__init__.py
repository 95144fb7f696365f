"""The pages Explore and Compare."""
