"""Pages from outside: one polite fetch, a crawl of a whole site, WARC files, folders."""
