"""What teaches: the lesson, its challenges, and the questions that learners ask."""
