"""Section 4's example and a family of catalogues like it: products that move between sections.

    python -m experiments.xydiff.catalogues [--matcher NAME…] [--count N]

Each catalogue has sections with products, as Figure 2 has; in the new version some products stand
in another section, some have another price, some are gone, some are new. Names are short or long,
sections and fields vary, and the markup is in one line or indented. Right is a section that stays
what it was, a product that moved and is a move, and a product that stayed and is not. Writes
catalogues.csv.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from experiments.write import rows_as_csv
from treelace import Tree, match, parse

_OLD_PRODUCTS = ("tx123", "$499", "zy456", "$799")
_NEW_PRODUCTS = ("zy456", "$699", "abc", "$899")
_PRODUCT = "<Product><Name>{}</Name><Price>{}</Price></Product>"
_FIGURE_2 = (
    "<Category><Title>Digital Cameras</Title>"
    f"<Discount>{_PRODUCT}</Discount><NewProducts>{_PRODUCT}</NewProducts></Category>"
)
PAPER = (_FIGURE_2.format(*_OLD_PRODUCTS), _FIGURE_2.format(*_NEW_PRODUCTS))
"""Both versions of the paper's example (section 4, Figure 2)."""

SECTIONS = ("Discount", "NewProducts", "Classics", "Refurbished", "Accessories", "Outlet")
MAKERS = ("Arden", "Belmont", "Corvus", "Dorset", "Elgar", "Fermat", "Gavotte", "Hadrian")
FORMS = {
    "element": ("{0}", "{0}", ""),
    "attribute": ('Section name="{0}"', "Section", ""),
    "heading": ("Section", "Section", "<Heading>{0}</Heading>"),
}
"""How a section is written: its start tag, its end tag, what stands before its products."""
KINDS = ("compact camera", "reflex camera", "wide lens", "flash", "tripod", "bag with a strap")


@dataclass(frozen=True, slots=True)
class Product:
    """One product; `number` is its identity, which the document does not show."""

    number: int
    name: str
    price: int
    fields: tuple[str, ...]

    def markup(self) -> str:
        """The product as Figure 2 writes it, and its further fields."""
        more = "".join(self.fields)
        return f"<Product><Name>{self.name}</Name><Price>${self.price}</Price>{more}</Product>"


Catalogue = dict[str, list[Product]]


@dataclass(frozen=True, slots=True)
class Change:
    """A catalogue before and after, and which product is which."""

    old: Tree
    new: Tree
    old_numbers: list[int]
    new_numbers: list[int]
    moved: set[int]


def make(seed: int, form: str | None = None) -> Change:
    """One member of the family; `form` says what tells its sections apart."""
    rng = random.Random(seed)
    form = form or rng.choice(list(FORMS))
    length = rng.choice(("code", "short", "long"))
    fields = rng.choice(((), ("stock",), ("stock", "kind"), ("stock", "maker", "kind")))
    names = list(SECTIONS[: rng.randint(2, len(SECTIONS))])
    rng.shuffle(names)
    prices = rng.sample(range(100, 1000), 120)
    numbers = iter(range(1000))

    def product() -> Product:
        number = next(numbers)
        maker, kind = rng.choice(MAKERS), rng.choice(KINDS)
        code = f"{rng.choice('abdtxyz')}{rng.choice('kmnpvxy')}{100 + 7 * number}"
        name = {"code": code, "short": f"{maker} {code}", "long": f"{maker} {code} {kind}"}[length]
        texts = {"stock": rng.choice(("yes", "no")), "maker": maker, "kind": kind}
        more = tuple(f"<{field.title()}>{texts[field]}</{field.title()}>" for field in fields)
        return Product(number, name, prices.pop(), more)

    old: Catalogue = {name: [product() for _ in range(rng.randint(1, 4))] for name in names}
    new: Catalogue = {name: list(products) for name, products in old.items()}
    everyone = [(name, one) for name, products in old.items() for one in products]
    moved = rng.sample(everyone, rng.randint(1, max(1, len(everyone) // 3)))
    for name, one in moved:
        new[name].remove(one)
        target = new[rng.choice([other for other in names if other != name])]
        target.insert(rng.randint(0, len(target)), one)
    settled = {one.number for _, one in moved}
    for name, one in everyone:
        if one.number not in settled and rng.random() < 0.25:
            new[name].remove(one)
    for products in new.values():
        if not products or rng.random() < 0.3:
            products.insert(rng.randint(0, len(products)), product())
    for products in new.values():
        for place, one in enumerate(products):
            if rng.random() < 0.4:
                products[place] = Product(one.number, one.name, prices.pop(), one.fields)
    is_indented = rng.random() < 0.5
    return Change(
        old=_parsed(old, form, is_indented=is_indented),
        new=_parsed(new, form, is_indented=is_indented),
        old_numbers=[one.number for products in old.values() for one in products],
        new_numbers=[one.number for products in new.values() for one in products],
        moved={one.number for _, one in moved},
    )


def _parsed(catalogue: Catalogue, form: str, *, is_indented: bool) -> Tree:
    line = "\n    " if is_indented else ""
    opening, closing, heading = FORMS[form]
    sections = "".join(
        f"{line[:3]}<{opening.format(name)}>{heading.format(name)}"
        f"{''.join(line + one.markup() for one in products)}{line[:3]}</{closing.format(name)}>"
        for name, products in catalogue.items()
    )
    text = f"<Category>{line[:3]}<Title>Digital Cameras</Title>{sections}{line[:1]}</Category>"
    return parse(text, format="xml")


def judged(change: Change, matcher: str) -> Counter[str]:
    """How many sections, moves and stayers there are, and how many of each were found."""
    old, new = change.old, change.new
    partner = dict(match(old, new, matcher=matcher).pairs)
    products = [
        dict(zip(numbers, (node.index for node in tree if node.tag == "Product"), strict=True))
        for tree, numbers in ((old, change.old_numbers), (new, change.new_numbers))
    ]
    found: Counter[str] = Counter()
    homes = [
        [node.index for node in tree if node.tag in (*SECTIONS, "Section")] for tree in (old, new)
    ]
    for before, after in zip(*homes, strict=True):
        found["sections"] += 1
        found["sections right"] += partner.get(before) == after
    for number in products[0].keys() & products[1].keys():
        kind = "moves" if number in change.moved else "stayers"
        found[kind] += 1
        found[f"{kind} right"] += partner.get(products[0][number]) == products[1][number]
    return found


def main() -> None:
    """Prints and writes a line for each form of section and each matcher."""
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--matcher", nargs="+", default=["auto", "buld", "lace"])
    reader.add_argument("--first", type=int, default=1000, help="first seed")
    reader.add_argument("--count", type=int, default=300, help="catalogues of each form")
    chosen = reader.parse_args()
    kinds = ("sections", "moves", "stayers")
    lines = [("form", "matcher", "catalogues", *kinds)]
    for form in FORMS:
        for matcher in chosen.matcher:
            total: Counter[str] = Counter()
            for seed in range(chosen.first, chosen.first + chosen.count):
                total += judged(make(seed, form), matcher)
            shares = (f"{total[f'{kind} right'] / total[kind]:.4f}" for kind in kinds)
            lines.append((form, matcher, str(chosen.count), *shares))
            print(*lines[-1])
    rows_as_csv(Path(__file__).parent / "catalogues.csv", lines)


if __name__ == "__main__":
    main()
