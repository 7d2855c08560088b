"""Array types that the learner's modules share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger[Any]]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.unsignedinteger[Any]]
Array = npt.NDArray[Any]
