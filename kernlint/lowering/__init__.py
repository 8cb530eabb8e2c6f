"""From syntax trees to the intermediate form: types, templates, calls in place, built-in functions, host code that launches."""
