"""From facts to the findings a user gets to see: rules, suppressions in comments, the baseline, severities and filters."""
