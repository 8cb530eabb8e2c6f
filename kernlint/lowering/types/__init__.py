"""From the syntax of a type to the type: names, classes, layout, what headers that are not there
would have declared."""
