"""Every kind of model that transformers has, built small, and what is shown of it."""
