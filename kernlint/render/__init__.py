"""Facts and findings to text, JSON, SARIF and HTML: one module per format.

Goes in: values. Comes out: text. Never changes what it prints.
"""
