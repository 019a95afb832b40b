"""Runs the reports of tillroll on Apache Spark.

The rules are those of the `tillroll` binary, which every task calls; this package decides which task reads which
bytes, brings the rows together that have to meet, and joins the parts. See docs/spark.md.
"""

__version__ = "0.1.0"
