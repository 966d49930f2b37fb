"""`similarity`, `measures`, `matrix`, `cluster`, `classify` as a person calls them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Treelace


def shop(rows: int) -> str:
    return (
        "<main class=shop><ul class=list>"
        + "<li class=item><a href=#>x</a>" * rows
        + "</ul></main>"
    )


def post(rows: int) -> str:
    return (
        "<main class=blog><article><h1>x</h1>" + "<p>x<em>y</em></p>" * rows + "</article></main>"
    )


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Six pages of two kinds in a folder, and a file with their classes beside it."""
    folder = tmp_path / "pages"
    folder.mkdir()
    lines = ["file,class"]
    for number in range(3):
        for kind, text in (("shop", shop(number + 1)), ("post", post(number + 1))):
            (folder / f"{kind}{number}.html").write_text(text)
            lines.append(f"pages/{kind}{number}.html,{kind}")
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n")
    return folder


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_one_number(treelace: Treelace, pages: Path) -> None:
    same, other = (
        treelace("similarity", "pages/shop0.html", "pages/shop1.html"),
        treelace("similarity", "pages/shop0.html", "pages/post0.html"),
    )
    assert (same.returncode, same.stdout) == (0, "1.000000\n")
    assert 0 < float(other.stdout) < 0.5
    number, words = treelace(
        "similarity", "pages/shop0.html", "pages/post0.html", "--explain"
    ).stdout.splitlines()
    assert number == other.stdout.strip()
    assert words.startswith("shapes 0.")
    for measure in ("tag-weighted", "path-shingles", "fourier", "time-warping", "design"):
        assert (
            len(
                treelace(
                    "similarity",
                    "pages/shop0.html",
                    "pages/post0.html",
                    "--explain",
                    "--measure",
                    measure,
                ).stdout.splitlines()
            )
            == 2
        )
    answer = json.loads(
        treelace(
            "similarity",
            "pages/shop0.html",
            "-",
            "--to",
            "json",
            "--measure",
            "tag-set",
            stdin=shop(1),
        ).stdout
    )
    assert answer == {"measure": "tag-set", "similarity": 1.0}


def test_options_of_a_measure(treelace: Treelace, pages: Path) -> None:
    asked = ("similarity", "pages/shop0.html", "pages/shop1.html", "--measure", "path-shingles")
    plain, windows = (
        treelace(*asked),
        treelace(*asked, "--option", "window=2", "--option", "is_bag=false"),
    )
    assert windows.returncode == 0
    assert plain.stdout != windows.stdout
    wrong = treelace(*asked, "--option", "windows=2")
    assert wrong.returncode == 2
    assert "its options are: window," in wrong.stderr
    assert treelace(*asked, "--option", "window").returncode == 2


def test_an_unknown_measure_is_one_line(treelace: Treelace, pages: Path) -> None:
    for command in (
        ("similarity", "pages/shop0.html", "pages/shop1.html"),
        ("matrix", "pages"),
        ("cluster", "pages"),
    ):
        done = treelace(*command, "--measure", "strucure")
        assert done.returncode == 2
        assert "did you mean 'structure'?" in done.stderr
        assert done.stderr.count("\n") == 1


def test_empty_documents_and_documents_of_one_node(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("")
    (tmp_path / "one.xml").write_text("<a/>")
    assert treelace("similarity", "empty.html", "empty.html").stdout == "1.000000\n"
    assert treelace("similarity", "one.xml", "one.xml").stdout == "1.000000\n"
    assert treelace("similarity", "empty.html", "one.xml").stdout == "0.000000\n"
    assert (
        treelace("cluster", "empty.html", "one.xml").stdout
        == "file,cluster\nempty.html,1\none.xml,2\n"
    )


@pytest.mark.parametrize("name", ["time-warping", "fourier"])
def test_a_measure_is_shown_with_the_defaults_of_its_options(treelace: Treelace, name: str) -> None:
    shown = treelace("measures", name).stdout
    assert shown.startswith(name + "\n")
    assert "MISSING" not in shown and " at 0x" not in shown


def test_measures(treelace: Treelace) -> None:
    lines = treelace("measures").stdout.splitlines()
    assert lines[0].startswith("* structure ")
    rows = json.loads(treelace("measures", "--to", "json").stdout)
    assert [row["name"] for row in rows if row["is_default"]] == ["structure"]
    assert len(rows) == len(lines) >= 10


def test_matrix_forms(treelace: Treelace, pages: Path, tmp_path: Path) -> None:
    rows = table(treelace("matrix", "pages").stdout)
    names = [
        f"pages/{name}"
        for name in (
            "post0.html",
            "post1.html",
            "post2.html",
            "shop0.html",
            "shop1.html",
            "shop2.html",
        )
    ]
    assert rows[0] == ["file", *names]
    assert [row[0] for row in rows[1:]] == names
    values = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    assert (values == values.T).all()
    assert treelace("matrix", "pages", "--to", "npy", "-o", "m.npy").returncode == 0
    assert (np.load(tmp_path / "m.npy") == values).all()
    answer = json.loads(treelace("matrix", "pages", "--to", "json").stdout)
    assert (answer["measure"], answer["files"], answer["similarities"]) == (
        "structure",
        names,
        values.tolist(),
    )
    assert (
        treelace(
            "matrix",
            "pages",
            "--to",
            "png",
            "-o",
            "m.png",
            "--labels",
            "labels.csv",
            "--scale",
            "rank",
        ).returncode
        == 0
    )
    assert (tmp_path / "m.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_clusters(treelace: Treelace, pages: Path) -> None:
    by_number = table(treelace("cluster", "pages", "-k", "2").stdout)
    assert by_number == [
        ["file", "cluster"],
        *(
            [f"pages/{kind}{n}.html", str(c)]
            for kind, c in (("post", 1), ("shop", 2))
            for n in range(3)
        ),
    ]
    for more in (
        (),
        ("--threshold", "0.5"),
        ("-k", "2", "--method", "medoids", "--measure", "tag-set"),
    ):
        assert table(treelace("cluster", "pages", *more).stdout) == by_number
    answer = json.loads(treelace("cluster", "pages", "--to", "json").stdout)
    assert [len(cluster["files"]) for cluster in answer["clusters"]] == [3, 3]
    assert answer["clusters"][0]["central"].startswith("pages/post")
    assert "<summary>Cluster 2: 3 pages" in treelace("cluster", "pages", "--to", "html").stdout


def test_classes(treelace: Treelace, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/a.html").write_text(shop(9))
    (tmp_path / "new/b.html").write_text("<table bgcolor=red><tr><td>1</table>")
    done = treelace("classify", "new", "--train", "labels.csv")
    rows = table(done.stdout)
    assert rows[0] == ["file", "class", "similarity"]
    assert rows[1] == ["new/a.html", "shop", "1.000000"]
    assert rows[2][:2] == ["new/b.html", "unclassified"]
    assert done.returncode == 0
    answer = json.loads(
        treelace(
            "classify", "new", "--train", "labels.csv", "--to", "json", "--mode", "strict"
        ).stdout
    )
    assert [row["class"] for row in answer] == ["shop", "unclassified"]
    assert answer[1]["similarity"] < answer[1]["threshold"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cluster", "pages", "-k", "7"), "more clusters than there are pages (6)"),
        (("cluster", "pages", "-k", "2", "--threshold", ".5"), "give one of them"),
        (("cluster", "pages", "--method", "medoids"), "needs -k"),
        (
            ("classify", "pages", "--train", "labels.csv", "--mode", "strict", "-k", "3"),
            "for mode any",
        ),
        (("classify", "pages", "--train", "empty.csv"), "no examples"),
        (("classify", "pages", "--train", "wrong.csv"), "must name the columns file and class"),
        (
            ("classify", "pages", "--train", "short.csv"),
            "short.csv: line 2 has no file or no class",
        ),
        (("classify", "pages", "--train", "latin.csv"), "not a CSV file in UTF-8"),
        (("matrix", "nothing"), "no pages in this folder"),
    ],
)
def test_wrong_use_is_one_line(
    treelace: Treelace, pages: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.csv").write_text("file,class\n")
    (tmp_path / "wrong.csv").write_text("page,kind\na,b\n")
    (tmp_path / "short.csv").write_text("file,class\na.html\n")
    (tmp_path / "latin.csv").write_bytes("file,class\nä.html,b\n".encode("latin-1"))
    done = treelace(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_broken_page_is_named_left_out_and_counted(treelace: Treelace, pages: Path) -> None:
    (pages / "broken.html.gz").write_bytes(b"\x1f\x8b\x08not gzip at all")
    (pages / "broken.xml").write_text("<a><b></a>")
    for command in (
        ("matrix", "pages"),
        ("cluster", "pages"),
        ("classify", "pages", "--train", "labels.csv"),
    ):
        done = treelace(*command)
        assert done.returncode == 3
        assert "pages/broken.html.gz" in done.stderr
        assert "pages/broken.xml" in done.stderr
        assert "2 of 8 pages left out" in done.stderr
        assert len(table(done.stdout)) == 7
    alone = treelace("matrix", "pages/broken.xml")
    assert alone.returncode == 3
    assert "none of 1 pages could be read" in alone.stderr


def test_a_missing_example_is_named_and_left_out(treelace: Treelace, pages: Path) -> None:
    (pages / "shop0.html").unlink()
    done = treelace("classify", "pages", "--train", "labels.csv")
    assert done.returncode == 3
    assert "shop0.html" in done.stderr
    assert len(table(done.stdout)) == 6


def test_control_c_ends_it(tmp_path: Path) -> None:
    """The first page is broken, so that its line tells when the work has begun; the rest would take
    minutes.
    """
    (tmp_path / "a.xml").write_text("<a><b></a>")
    for number in range(30):
        (tmp_path / f"b{number}.html").write_text(shop(4000 + number))
    command = shutil.which("treelace", path=Path(sys.executable).parent)
    assert command
    process = subprocess.Popen(
        [command, "cluster", ".", "--measure", "time-warping"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stderr
    assert b"a.xml" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    answer, words = process.communicate(timeout=60)
    assert (process.returncode, answer) == (130, b"")
    assert words.splitlines()[-1] == b"treelace: interrupted"
    assert b"Traceback" not in words
