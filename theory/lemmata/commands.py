"""The command `lemmata`: judging, a first look, one claim, what premises need, a new block, a record, LaTeX, the page.

Main definitions: `main`; `COMMANDS`, each with what it does and how it is called.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

REFUSED = 4

# As of a process that SIGPIPE ends.
LEFT = 141


@dataclass(frozen=True)
class Command:
    """One word after `lemmata`: what it does in a line, its help in a screen, and the function that does it."""

    does: str
    help: str
    run: Callable[[list[str]], int]


def _pytest(words: list[str]) -> int:
    """pytest with the surface of the claims."""
    import pytest

    from .plugin import joined_options

    return int(pytest.main(["-p", "lemmata", *joined_options(words)]))


def _check(words: list[str]) -> int:
    if "--benchmark-only" in words:
        return _refused("check", "--benchmark-only: a claim is no benchmark, and would get no verdict; leave it out")
    # Of pytest's own --strict nothing is asked here.
    return _pytest(["--strict-claims" if word == "--strict" else word for word in words])


def _try(words: list[str]) -> int:
    from theory.surface import trying

    return trying.main(words)


def _show(words: list[str]) -> int:
    if not words or words[0].startswith("-"):
        why = "which claim? Write FILE::NAME, or its id, as in lemmata show du2018:lemma-3.1 FOLDER"
        return _refused("show", why)
    file = words[0].partition("::")[0]
    if Path(file).exists():
        return _pytest([*words, "--story", "-s", "-q"])
    if file != words[0] or file.endswith(".py"):
        return _refused("show", f"{file}: there is no such file; write FILE, FILE::NAME or an id")
    return _pytest([*words[1:], "--claim", words[0], "--story", "-s", "-q"])


def _needs(words: list[str]) -> int:
    return _pytest([*words, "--needs"])


def _new(words: list[str]) -> int:
    from theory.surface import skeleton

    return skeleton.main(["new", *words])


def _read(words: list[str]) -> int:
    from theory.surface import source

    return source.main(words)


def _export(words: list[str]) -> int:
    from theory.reports import export

    return export.main(words)


def _history(words: list[str]) -> int:
    from theory.reports.page import history

    return history.main(words)


def _site(words: list[str]) -> int:
    from theory.core.guard import SessionError
    from theory.reports.page import page
    from theory.reports.page.changes import read
    from theory.reports.page.packing import packed
    from theory.reports.page.statements import small_pages
    from theory.reports.records import take_in

    small = "--statements" in words
    words = [word for word in words if word != "--statements"]
    if len(words) not in (1, 2):
        return _refused("site", "write a ledger and perhaps a folder, as in lemmata site ledger out")
    place = Path(words[-1])
    folder = place.parent if len(words) == 1 and place.suffix == ".json" else place
    try:
        ledger = read(Path(words[0]), words[0])
        take_in(ledger, Path(words[0]))
        text = page(ledger, {})
        for name, content in {"index.html": packed(text), **(small_pages(ledger, text) if small else {})}.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
    except (SessionError, OSError) as error:
        return _refused("site", str(error))
    print(f"written to {folder / 'index.html'}")
    return 0


def _refused(command: str, why: str) -> int:
    print(f"lemmata {command}: {why}", file=sys.stderr)
    return REFUSED


COMMANDS: dict[str, Command] = {
    "check": Command(
        "judge the claims of files and folders",
        """\
usage: lemmata check [FILE|FOLDER|FILE::ID ...] [options]

Judges the claims there, by default in this folder. It is pytest with the options below, so those of pytest hold too:
-k WORDS, -x, --lf, -v, --junitxml=FILE, --collect-only.

which      --claim ID  --paper KEY  --theme NAME       ids may be patterns; with an id of the suite that claim as well
at what    --at m=4096,L=3  --data SET  --bound FORMULA    other sizes, other points, what if the bound were this
how        --effort quick|thorough|nightly  --seed N|fresh  --timeout SECONDS  --jobs N
           --budget P    the chance that a run refutes a true claim of yours, by default 0.001
strict     --strict      fail as well where a row is blind to a symbol without a reason, or its ratio rises
what for   --ledger=DIR  --plot=DIR  --compare=OLD     ledger.json, the page index.html, pictures, what changed
           --expect LINE  say whether the one claim comes to this, as in "ratio 0.97, holds"

exit code  0 as expected, 1 not so, 2 interrupted, 4 refused, 5 no claim there""",
        _check,
    ),
    "try": Command(
        "a first look at the claims of a file, in seconds",
        """\
usage: lemmata try FILE[::NAME] [--seed N] [--data SET] [--timeout SECONDS]

Measures eight times at each size, without controls: measured and bound side by side, the best constant, which wrong
bounds so few measurements would notice, how long check will take, and a look at sizes 2 to 4 times as large. It decides
nothing. NAME is that of a function, or an id.

exit code  0 nothing speaks against the claims, 1 something does, 4 refused""",
        _try,
    ),
    "show": Command(
        "the whole story of one claim",
        """\
usage: lemmata show FILE[::NAME] [options of check]
       lemmata show ID [FILE|FOLDER ...] [options of check]

Judges one claim and tells its story: statement, premises, numbers, controls. NAME is that of a function, or an id; FILE
alone tells of all that stand there. An ID is sought in the suite and in the places named, by default this folder.""",
        _show,
    ),
    "needs": Command(
        "which width, depth, steps and step sizes the premises ask for",
        """\
usage: lemmata needs [FILE|FOLDER ...] [--paper KEY] [--claim ID] [--data SET] [--at m=10**5,C=64] [--ledger=DIR]

Judges nothing. With --data for the sizes and the separation of those points; with --ledger as a page too.""",
        _needs,
    ),
    "new": Command(
        "a claim file with gaps",
        """\
usage: lemmata new KEY:STATEMENT [PLACE] --kind probability|deterministic|expectation|constant|proof

Writes the block of a claim into a file test_....py in the folder PLACE, by default this one, with ... for what is to be
written, and into the settings of the project, where there are none, the line by which pytest judges claims.""",
        _new,
    ),
    "read": Command(
        "the record of a paper from its LaTeX source",
        """\
usage: lemmata read main.tex [PLACE] [--key KEY] [--replace]

Writes a file paper.py into the folder PLACE, by default this one, or under the name PLACE: every theorem, lemma,
definition, assumption and display with a label, with its number as LaTeX prints it, its file and line, and what its
proof refers to. `lemmata check PLACE` lists them as open from then on. Files that the source includes are read, and
classes and packages beside it; nothing is typeset or run. What cannot be read, and what is left out, is listed on the
terminal and in the file. Kinds, themes, and titles that the source does not give, are guesses to be corrected.

--key KEY   what ids begin with, as in arora2019; by default the first author's last name and the year
--replace   write over a file that is there already, which is refused otherwise

exit code   0 written, 4 refused""",
        _read,
    ),
    "export": Command(
        "a claim, paper or theme as LaTeX",
        """\
usage: lemmata export CLAIM|PAPER|THEME LEDGER FOLDER

Writes export.tex, references.bib and the figures of a ledger into FOLDER, and errata.tex where statements are false as
printed or their proofs have a gap: a report to send to the authors of the paper, a file for each paper of a theme.""",
        _export,
    ),
    "site": Command(
        "the page of a ledger once more",
        """\
usage: lemmata site LEDGER [FOLDER] [--statements]

Writes index.html, which opens without a server, from a ledger.json or the folder that holds it; figures aside.

--statements   with a small page for each statement of a recorded paper beside it, under an address that stays, as in
               FOLDER/statements/zou2018/lemma-A.7.html, and the list of them in statements/index.html""",
        _site,
    ),
    "history": Command(
        "several ledgers as a page of what changed",
        """\
usage: lemmata history LEDGER LEDGER ... FOLDER

Writes history.html into FOLDER: the verdict and the worst ratio of every claim that changed, run by run, and how.""",
        _history,
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; the exit code, 4 where that is refused."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["--version"]:
        print(f"lemmata {importlib.metadata.version('lemmata')}")
        return 0
    if not words or words[0] in ("-h", "--help", "help"):
        said = [f"  {name:<8}{command.does}" for name, command in COMMANDS.items()]
        print("\n".join(["usage: lemmata COMMAND ..., each with --help", "", *said]))
        return 0 if words else REFUSED
    command = COMMANDS.get(words[0])
    if command is None:
        from theory.claims.selection import nearest

        return _refused(words[0], f"no such command; {nearest(words[0], COMMANDS)}")
    if any(word in ("-h", "--help") for word in words[1:]):
        print(command.help)
        return 0
    try:
        code = command.run(words[1:])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads has seen enough, as head or a pager that is left. Python would raise again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return LEFT
