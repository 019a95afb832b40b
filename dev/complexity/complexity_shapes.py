"""Input that was made to be slow: each shape in any size, and the commands that read it.

A shape is a function from a number of parts to the text of the file `in`, or to several files by name.
"""
import complexity_failures  # noqa: F401
import complexity_finance  # noqa: F401
import complexity_formats  # noqa: F401
import complexity_reading  # noqa: F401
import complexity_sales  # noqa: F401
from complexity_parts import SHAPES  # noqa: F401
