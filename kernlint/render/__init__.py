"""Facts and findings to text, JSON and Markdown: one module per format. Never changes what it prints."""
