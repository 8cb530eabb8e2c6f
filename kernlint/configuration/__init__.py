"""Configuration files: found beside the code, read, checked, and laid under the command line."""
