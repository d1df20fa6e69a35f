"""What the report says of itself, what its first page decides, how it looks, the PDF."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reportgen.config.fields import Strict, Text, about

Decision = Literal["replace", "choose", "rank", "shift", "enough"]


class SignOffKeys(Strict):
    """A line of the sign-off block; what is empty is left to the pen."""

    role: Text = about("In which role somebody signs.", example="Model owner")
    name: str = about("Who signs.", "")
    decision: str = about("What was decided.", "")
    date: str = about("When, as it shall be printed.", "")


class FindingKeys(Strict):
    """Something that whoever reviewed the models found, as it stands now."""

    id: Text = about("Its number in your files.", example="F-12")
    text: str = about("What was found.", "", example="Scores of new customers drift.")
    severity: str = about("How serious it is, in your words.", "", example="high")
    owner: str = about("Who is to settle it.", "", example="Pricing")
    due: str = about("By when, as it shall be printed.", "", example="2026-12-31")
    status: str = about("Where it stands.", "", example="open")


class ReportKeys(Strict):
    """What the report says of itself."""

    title: Text = about("The title on page one.", example="Wallet models, autumn review")
    id: Text | None = about("The report's number in your files.", None, example="WALLET-2026-11")
    question: Text | None = about("The question that the report decides.", None)
    audience: Text | None = about("For whom it is written.", None)
    classification: Text | None = about("A label on every page, such as INTERNAL.", None)
    status: Literal["DRAFT", "FINAL"] = about("DRAFT or FINAL.", "DRAFT")
    length: Literal["memo", "standard", "full"] = about(
        "How much is printed as PDF and Markdown: memo is two pages, the decision and its basis; "
        "standard has at most 14 pages, 20 above 4 models or 8 metrics; full has every curve and "
        "every comparison. HTML always has all of it, folded.",
        "standard",
    )
    limitations: tuple[Text, ...] = about("What this report cannot show, one line each.", ())
    sign_off: tuple[SignOffKeys, ...] = about("Who signs: role, name, decision, date.", ())
    findings: tuple[FindingKeys, ...] = about(
        "What a review found, printed beside the sign-off: id, text, severity, owner, due, status.",
        (),
    )
    show_ids: bool = about("Whether single rows may be named: their id, y and score.", False)
    decision: Decision | None = about(
        "What the report is to decide. replace: whether one model should take the place of the "
        "baseline; choose: which model to use; rank: the order of the models; shift: which model "
        "with which correction of its scores; enough: whether the rows suffice to choose. Default: "
        "replace with one candidate, choose with several.",
        None,
        example="replace",
    )
    headline: tuple[Text, ...] = about(
        "The metrics, besides the primary one, that page one has a row for, in this order; "
        "default: the first of each kind.",
        (),
        example=["mae"],
    )
    about: Text | None = about(  # the last key: below it, `about` is this one
        "The candidate that page one is about; default: the model of the first gate that compares, "
        "or else the best.",
        None,
        example="boosted",
    )


class Pdf(Strict):
    """What the PDF carries."""

    attach: tuple[Literal["results", "config", "tables", "evidence"], ...] = about(
        "The files inside it: results.json, the config with every default, a CSV for each figure "
        "and table, and what the report rests on; [] for none.",
        ("results", "config", "tables", "evidence"),
        example=["results", "config"],
    )


Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class ThemeKeys(Strict):
    """How the report looks."""

    accent: Colour | None = about("The main colour.", None, example='"#0072B2"')
    colours: tuple[Colour, ...] = about("The models' colours, in their order.", ())
    logo: Text | None = about("An SVG or PNG file for the header.", None)
    fonts: Text | None = about("A folder with more fonts.", None)
