"""Where the nodes of a drawn tree go: narrow, parents centred over their children, no two subtrees in each other's way.

The tidy drawing of binary trees by Reingold and Tilford, "Tidier Drawings of Trees", IEEE Transactions on Software
Engineering 7 (1981), with boxes of different widths: two subtrees are drawn apart from each other and then moved
together until their outlines are one gap apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Outline = list[tuple[float, float]]  # by level below a node: left and right end, seen from the node's centre


def tidy_layout(
    children: Mapping[int, tuple[int, int] | None], widths: Mapping[int, float], gap: float
) -> dict[int, float]:
    """The centre of each node's box, so that the leftmost box begins at 0.

    Args:
        children: of each node; None for a leaf. A child's number is greater than its parent's, the root's the least.
        widths: of each node's box.
        gap: least distance between boxes on one level.
    """
    outlines: dict[int, Outline] = {}
    reach: dict[int, float] = {}  # of an inner node, from its centre to that of either child
    for number in sorted(children, reverse=True):  # children before their parents
        half = widths[number] / 2
        below = children[number]
        if below is None:
            outlines[number] = [(-half, half)]
            continue
        left, right = outlines.pop(below[0]), outlines.pop(below[1])
        distance = max(a[1] - b[0] for a, b in zip(left, right, strict=False)) + gap
        reach[number] = distance / 2
        outlines[number] = [(-half, half), *_beside(left, right, distance / 2)]
    root = min(children)
    centres = {root: -min(left for left, _ in outlines[root])}
    for number in sorted(reach):
        first, second = children[number] or (number, number)
        centres[first] = centres[number] - reach[number]
        centres[second] = centres[number] + reach[number]
    return centres


def _beside(left: Sequence[tuple[float, float]], right: Sequence[tuple[float, float]], reach: float) -> Outline:
    """The outline of two subtrees, seen from the middle between their roots."""
    both = min(len(left), len(right))
    joined = [(a[0] - reach, b[1] + reach) for a, b in zip(left, right, strict=False)]
    joined += [(a - reach, b - reach) for a, b in left[both:]]
    joined += [(a + reach, b + reach) for a, b in right[both:]]
    return joined
