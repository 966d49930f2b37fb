"""Which columns identify records."""

from __future__ import annotations

from treelace.store import keys


def test_a_price_is_no_key_and_two_names_come_before_a_number():
    rows = [
        {"title": "Keeper", "city": "Ulm", "salary": "$136K", "price": 3.0, "price currency": "€"},
        {"title": "Keeper", "city": "Bonn", "salary": "$137K", "price": 4.0, "price currency": "€"},
        {"title": "Baker", "city": "Ulm", "salary": "$138K", "price": 5.0, "price currency": "€"},
    ]
    types = {"price": "number", "price currency": "text", "salary": "text"}
    types |= {"title": "text", "city": "text"}
    assert keys.choose(types, [rows]) == ("title", "city")
    assert keys.choose({"price": "number", "price currency": "text"}, [rows]) == (keys.NODE,)
