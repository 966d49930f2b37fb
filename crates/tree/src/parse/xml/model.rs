//! Content models (XML 1.0 productions 46 to 51): checked, not kept, since nothing here validates.

use super::cursor::{fail, Cursor, Step};

/// Reads the contentspec of an element declaration.
pub fn content_spec(cursor: &mut Cursor<'_>, namespaces: bool) -> Step<()> {
    if cursor.eat("EMPTY") || cursor.eat("ANY") {
        return Ok(());
    }
    if !cursor.eat("(") {
        return fail(
            cursor.pos,
            format!("'EMPTY', 'ANY' or '(' expected, {} found", cursor.found()),
        );
    }
    cursor.space();
    if cursor.eat("#PCDATA") {
        mixed(cursor, namespaces)
    } else {
        children(cursor, namespaces)
    }
}

/// Mixed content whose `(#PCDATA` has been read.
fn mixed(cursor: &mut Cursor<'_>, namespaces: bool) -> Step<()> {
    let mut has_names = false;
    loop {
        cursor.space();
        if cursor.eat(")") {
            let has_star = cursor.eat("*");
            if has_names && !has_star {
                return fail(cursor.pos, "a mixed content model with names ends in ')*'");
            }
            return Ok(());
        }
        cursor.expect("|")?;
        cursor.space();
        cursor.qname("an element name", namespaces)?;
        has_names = true;
    }
}

/// Element content whose first `(` has been read. Groups nest as deep as the document likes, so
/// they are kept on a stack: for each open one the separator it uses, once that is known.
fn children(cursor: &mut Cursor<'_>, namespaces: bool) -> Step<()> {
    let mut groups: Vec<Option<u8>> = vec![None];
    loop {
        cursor.space();
        if cursor.eat("(") {
            groups.push(None);
            continue;
        }
        cursor.qname("an element name or '('", namespaces)?;
        repetition(cursor);
        loop {
            cursor.space();
            match cursor.peek() {
                Some(b')') => {
                    cursor.pos += 1;
                    groups.pop();
                    repetition(cursor);
                    if groups.is_empty() {
                        return Ok(());
                    }
                }
                Some(separator @ (b'|' | b',')) => {
                    let group = groups.last_mut().and_then(|group| group.replace(separator));
                    if group.is_some_and(|before| before != separator) {
                        return fail(cursor.pos, "'|' and ',' in one group of a content model");
                    }
                    cursor.pos += 1;
                    break;
                }
                _ => {
                    return fail(
                        cursor.pos,
                        format!("'|', ',' or ')' expected, {} found", cursor.found()),
                    )
                }
            }
        }
    }
}

fn repetition(cursor: &mut Cursor<'_>) {
    if matches!(cursor.peek(), Some(b'?' | b'*' | b'+')) {
        cursor.pos += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_good(model: &str) -> bool {
        let mut cursor = Cursor::new(model, 0);
        content_spec(&mut cursor, true).is_ok() && cursor.pos == model.len()
    }

    #[test]
    fn models() {
        for good in [
            "EMPTY",
            "(#PCDATA)",
            "( #PCDATA )*",
            "(#PCDATA|a | b)*",
            "(a)",
            "((a|b)*,c?)+",
            "( a , (b) )",
        ] {
            assert!(is_good(good), "{good}");
        }
        for bad in [
            "(#PCDATA|a)",
            "(a|b,c)",
            "()",
            "(a",
            "(a,)",
            "a",
            "(a b)",
            "(#PCDATA,a)*",
            "(a|#PCDATA)*",
            "(a *)",
            "(a:)",
        ] {
            assert!(!is_good(bad), "{bad}");
        }
        let deep = 200_000;
        assert!(is_good(&("(".repeat(deep) + "a" + &")".repeat(deep))));
    }
}
