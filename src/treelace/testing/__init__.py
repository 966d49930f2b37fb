"""Tools for those who test systems like this one: sites and changes whose truth is known.

mutate       pages with changes and the true matching: single ones (`operators`), all over the page
(`redesign`); `document` is what they edit simulate     XML documents with changes and the perfect
delta shop         a site over three days and a redesign (`shop_pages`: its templates), which
`shop_server` serves
"""
