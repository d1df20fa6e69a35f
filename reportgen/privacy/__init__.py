"""What a report keeps to itself: small slices and bins, ends of columns, single rows, ids."""

from reportgen.privacy.ids import shown_ids
from reportgen.privacy.slices import hidden_slices, small_slices
from reportgen.privacy.telling import Telling, hidden, kept_by

__all__ = ["Telling", "hidden", "hidden_slices", "kept_by", "shown_ids", "small_slices"]
