"""Keys that rows tie: the chain of an account to its other chains, the attempts at one transaction to each other.

chain 1 ── account a ── chain 2 ── line item w ── chain 3        one component, called by its least key
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Ties that the driver follows by itself, which is quicker than a step of Spark for each round.
MOST_ON_DRIVER = 200_000


def components(pairs: DataFrame, most_on_driver: int = MOST_ON_DRIVER) -> DataFrame | None:
    """The component of each key that is tied to another key.

    `pairs` has the columns `node`, a key, and `link`, what ties it. The result has `node` and `component`, the least
    key of its component by bytes, and lacks the keys that are tied to none; it is `None` where no key is.
    """
    from pyspark.sql import functions as f

    shared = pairs.groupBy("link").agg(f.min("node").alias("least"), f.max("node").alias("most"))
    tied = pairs.join(shared.where(f.col("least") != f.col("most")).select("link"), "link").distinct()
    tied = tied.localCheckpoint()
    first = tied.select("node", "link").limit(most_on_driver + 1).collect()
    if not first:
        return None
    if len(first) <= most_on_driver:
        found = followed((row["node"], row["link"]) for row in first)
        return pairs.sparkSession.createDataFrame(list(found.items()), "node string, component string")
    return _propagated(tied)


def followed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The components of pairs of a key and a link, in memory."""
    parents: dict[tuple[bool, str], tuple[bool, str]] = {}

    def root(name: tuple[bool, str]) -> tuple[bool, str]:
        while (parent := parents.setdefault(name, name)) != name:
            parents[name] = parents[parent]
            name = parents[name]
        return name

    for node, link in pairs:
        # A link is never the least, so the root of a component is a key.
        left, right = sorted(
            (root((False, node)), root((True, link))), key=lambda n: (n[0], n[1].encode("utf-8", "surrogatepass"))
        )
        parents[right] = left
    return {name: root((is_link, name))[1] for is_link, name in list(parents) if not is_link}


def _propagated(tied: DataFrame) -> DataFrame:
    """The components by Spark: each key takes the least that it is tied to, then that one's, until nothing changes.

    The second half doubles the distance that a key reaches, so the rounds are as the logarithm of the longest way.
    """
    from pyspark.sql import functions as f

    found = tied.select("node").distinct().withColumn("component", f.col("node"))
    while True:
        by_link = tied.join(found, "node").groupBy("link").agg(f.min("component").alias("least"))
        nearest = tied.join(by_link, "link").groupBy("node").agg(f.min("least").alias("near"))
        far = found.select(f.col("node").alias("near"), f.col("component").alias("far"))
        following = (
            nearest.join(far, "near").select("node", f.least("near", "far").alias("component")).localCheckpoint()
        )
        changed = following.join(found.withColumnRenamed("component", "before"), "node")
        if changed.where(f.col("component") != f.col("before")).isEmpty():
            return following
        found = following
