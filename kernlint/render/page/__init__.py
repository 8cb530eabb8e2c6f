"""The HTML page. In: the report, findings and sources. Out: the data that the page is made from,
beside its template, style and scripts. It never counts anything."""
