//! Names, values, comments and raw text that markup can write.

use super::{names, sets};
use crate::parse::html::raw_text_ends_early;
use crate::tree::{Tree, HTML, MATHML, SVG};

/// The name of an element and those of its attributes, and their values.
pub(super) fn names(tree: &Tree, i: usize) -> Option<&'static str> {
    let (namespace, local) = sets::name(tree, i);
    if !tree.names().prefix(tree.name(i)).is_empty() {
        return Some("an element with a prefix");
    }
    let is_named = local.starts_with(|c: char| c.is_ascii_alphabetic())
        && !local.contains(['\t', '\n', '\x0C', '\r', ' ', '/', '>', '\0']);
    let is_spelled = if namespace == SVG {
        svg_name(local, &SVG_ELEMENTS) == local
    } else {
        !has_upper_case(local)
    };
    if !is_named || !is_spelled {
        return Some("a name that no tag can have");
    }
    let mut seen = Vec::new();
    for a in tree.attributes(i) {
        let mut written = String::new();
        names::push_attribute(tree, a, &mut written);
        if !is_attribute(tree, a, namespace, &written) {
            return Some("a name that no attribute can have");
        }
        if tree.attr_value(a).contains('\0') {
            return Some("U+0000");
        }
        seen.push(written.to_ascii_lowercase());
    }
    seen.sort_unstable();
    seen.windows(2).any(|pair| pair[0] == pair[1]).then_some("two attributes of one name")
}

fn is_attribute(tree: &Tree, a: usize, element: &str, written: &str) -> bool {
    let id = tree.attr_name(a);
    let names = tree.names();
    let has_odd = written.char_indices().any(|(at, c)| {
        matches!(c, '\t' | '\n' | '\x0C' | '\r' | ' ' | '/' | '>' | '\0') || c == '=' && at > 0
    });
    if written.is_empty() || has_odd {
        return false;
    }
    let is_foreign = element != HTML;
    if is_foreign && FOREIGN_ATTRIBUTES.contains(&written) {
        let prefix = written.split_once(':').map_or("", |(prefix, _)| prefix);
        return !names.namespace(id).is_empty() && names.prefix(id) == prefix;
    }
    let is_plain = names.namespace(id).is_empty() && names.prefix(id).is_empty();
    is_plain
        && match element {
            SVG => svg_name(written, &SVG_ATTRIBUTES) == written,
            MATHML if written.eq_ignore_ascii_case("definitionurl") => written == "definitionURL",
            _ => !has_upper_case(written),
        }
}

/// The name as the parser spells it in SVG.
fn svg_name<'n>(name: &'n str, mixed: &[&'static str]) -> std::borrow::Cow<'n, str> {
    match mixed.iter().find(|other| other.eq_ignore_ascii_case(name)) {
        Some(&spelled) => spelled.into(),
        None if has_upper_case(name) => name.to_ascii_lowercase().into(),
        None => name.into(),
    }
}

fn has_upper_case(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// A comment that does not end itself.
pub(super) fn comment(text: &str) -> Option<&'static str> {
    let ends = text.starts_with('>')
        || text.starts_with("->")
        || text.contains("-->")
        || text.contains("--!>");
    (ends || text.contains(['\0', '\r']))
        .then_some("a comment that ends too early, or has U+0000 or a carriage return")
}

/// The text of an element whose text is not escaped.
pub(super) fn raw(tree: &Tree, parent: usize) -> Option<&'static str> {
    if !names::is_raw(tree, parent) {
        return None;
    }
    let text = tree.text(parent + 1);
    if text.contains('\r') {
        return Some("a carriage return in raw text");
    }
    raw_text_ends_early(tree.local(parent), text)
        .then_some("raw text that holds its own end tag, or hides it")
}

/// A doctype without what would end it.
pub(super) fn doctype(tree: &Tree, i: usize) -> Option<&'static str> {
    let name = tree.local(i);
    let is_named =
        !has_upper_case(name) && !name.contains(['\t', '\n', '\x0C', '\r', ' ', '>', '\0']);
    let has_both_quotes = |id: &str| id.contains('"') && id.contains('\'');
    let is_id =
        |id: &str| !id.is_empty() && !id.contains(['>', '\0', '\r']) && !has_both_quotes(id);
    let ids = tree
        .attributes(i)
        .all(|a| matches!(tree.attr_local(a), "public" | "system") && is_id(tree.attr_value(a)));
    // without a name there is nothing that could have identifiers
    let is_whole = !name.is_empty() || tree.attributes(i).is_empty();
    let is_good = is_named
        && ids
        && is_whole
        && tree.text(i).is_empty()
        && tree.names().prefix(tree.name(i)).is_empty();
    (!is_good).then_some("a doctype that HTML cannot write")
}

/// Attributes that get a namespace in foreign elements.
const FOREIGN_ATTRIBUTES: [&str; 11] = [
    "xlink:actuate",
    "xlink:arcrole",
    "xlink:href",
    "xlink:role",
    "xlink:show",
    "xlink:title",
    "xlink:type",
    "xml:lang",
    "xml:space",
    "xmlns",
    "xmlns:xlink",
];

/// SVG's elements that are not in lower case.
const SVG_ELEMENTS: [&str; 37] = [
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];

/// SVG's attributes that are not in lower case.
const SVG_ATTRIBUTES: [&str; 58] = [
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];
