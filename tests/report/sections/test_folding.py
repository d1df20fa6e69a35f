"""What of a section stands open."""

from reportgen.report.document import Bullets, Fold, Heading, Section, Table, Text
from reportgen.report.sections.index import fold_after_lead


def test_a_section_that_is_read_at_once_has_nothing_behind_a_title():
    section = Section("costs", "Costs", (Text("All that there is."),), "")
    assert fold_after_lead(section).blocks == section.blocks


def test_a_heading_that_nothing_stands_under_is_left_out():
    said, told = Text("First."), Bullets(("One.",))
    blocks = (said, Heading("Bare", "a"), Heading("Kept", "b"), told, Heading("Last", "c"))
    found = fold_after_lead(Section("costs", "Costs", blocks, "")).blocks
    (behind,) = (block for block in found if isinstance(block, Fold))
    assert [b.text for b in behind.blocks if isinstance(b, Heading)] == ["Kept"]


def test_a_fold_is_titled_by_a_whole_clause():
    caption = "The cheapest model at each asymmetry, 95% intervals under the numbers. Savings are"
    tables = (Table("a", caption, (), ()), Table("b", "More.", (), ()))
    (behind,) = fold_after_lead(Section("costs", "Costs", tables, "")).blocks
    assert behind.title == ("The cheapest model at each asymmetry, 95% intervals under the numbers")
