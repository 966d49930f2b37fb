//! Joining `xml:base` values as Canonical XML 1.1 §2.4 has it: RFC 3986 §5.2 where the base may be
//! relative too.
//!
//! The differences to the RFC: the base needs no scheme; leading `..` segments are kept; a run of
//! slashes is one slash; a `..` at the end becomes `../`.

/// The parts of a reference (RFC 3986, appendix B).
#[derive(Default, Clone, Copy)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(reference: &'a str) -> Self {
        let (rest, fragment) = cut(reference, '#');
        let (rest, query) = cut(rest, '?');
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains('/') => {
                (Some(scheme), rest)
            }
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        Parts { scheme, authority, path, query, fragment }
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// `reference` seen from `base`.
pub(super) fn join(base: &str, reference: &str) -> String {
    let (base, reference) = (Parts::of(base), Parts::of(reference));
    // RFC 3986 §5.2.2, in its order
    let mut target = Parts { fragment: reference.fragment, query: reference.query, ..reference };
    let path;
    if reference.scheme.is_some() || reference.authority.is_some() {
        path = remove_dots(reference.path);
        target.scheme = reference.scheme.or(base.scheme);
    } else {
        (target.scheme, target.authority) = (base.scheme, base.authority);
        if reference.path.is_empty() {
            path = base.path.to_string();
            target.query = reference.query.or(base.query);
        } else if reference.path.starts_with('/') {
            path = remove_dots(reference.path);
        } else {
            path = remove_dots(&merge(&base, reference.path));
        }
    }
    let mut out = String::new();
    if let Some(scheme) = target.scheme {
        out.push_str(scheme);
        out.push(':');
    }
    if let Some(authority) = target.authority {
        out.push_str("//");
        out.push_str(authority);
    }
    out.push_str(&path);
    for (mark, part) in [('?', target.query), ('#', target.fragment)] {
        if let Some(part) = part {
            out.push(mark);
            out.push_str(part);
        }
    }
    out
}

/// RFC 3986 §5.2.3.
fn merge(base: &Parts<'_>, path: &str) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        return format!("/{path}");
    }
    if base.path == ".." || base.path.ends_with("/..") {
        return format!("{}/{path}", base.path);
    }
    let folder = base.path.rfind('/').map_or("", |at| &base.path[..=at]);
    format!("{folder}{path}")
}

/// RFC 3986 §5.2.4 as Canonical XML 1.1 changes it.
fn remove_dots(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut ends_in_folder = path.ends_with('/');
    for segment in path.split('/').filter(|it| !it.is_empty()) {
        match segment {
            "." => {}
            ".." if kept.last().is_some_and(|&top| top != "..") => {
                kept.pop();
            }
            ".." if is_absolute => {}
            _ => kept.push(segment),
        }
    }
    ends_in_folder |= matches!(path.rsplit('/').next(), Some("." | ".."));
    let mut out = String::from(if is_absolute { "/" } else { "" });
    out.push_str(&kept.join("/"));
    if ends_in_folder && !kept.is_empty() {
        out.push('/');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_removed_as_in_the_recommendation() {
        for (path, expected) in [
            ("no/.././/pseudo-netloc/seg/file.ext", "pseudo-netloc/seg/file.ext"),
            ("yes/no//..//.///pseudo-netloc/seg/file.ext", "yes/pseudo-netloc/seg/file.ext"),
            ("no/../yes", "yes"),
            ("no/../yes/", "yes/"),
            ("no/../yes/no/..", "yes/"),
            ("../../no/../..", "../../../"),
            ("no/../..", "../"),
            ("no/..", ""),
            ("no/../", ""),
            ("/a/b/c/./../../g", "/a/g"),
            ("mid/content=5/../6", "mid/6"),
            ("/../..", "/"),
            ("../..", "../../"),
            ("../", "../"),
        ] {
            assert_eq!(remove_dots(path), expected, "{path}");
        }
    }

    #[test]
    fn references_are_joined() {
        for (base, reference, expected) in [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "../../g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g/x", "http://g/x"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
            ("http://a/b/c/d;p?q", "mailto:x", "mailto:x"),
            ("http://a", "g", "http://a/g"),
            ("foo/bar", "..", ""),
            ("..", "..", "../../"),
            ("../../", "x", "../../x"),
            ("a/b", "c#f", "a/c#f"),
        ] {
            assert_eq!(join(base, reference), expected, "{base} {reference}");
        }
    }
}
