"""Tools for those who test systems like this one: sites and changes whose truth is known.

mutate    pages with single changes (`operators`) or a `redesign`, and the true matching
simulate  XML documents with changes and the perfect delta
scale     very many pages from some real ones
shop      a site over three days and a redesign (`shop_pages`), served by `shop_server`
"""
