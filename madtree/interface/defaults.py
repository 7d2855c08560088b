"""The defaults of the functions' arguments.

What cannot import them repeats them: the signatures of the Python client and the documentation. A test compares these
with what is here.
"""

from __future__ import annotations

SPLIT_CRITERION = "gini"
MAX_DEPTH = 10
MIN_SPLIT = 20
SPLIT_PER_BUCKET = 3  # of min_split and min_bucket, one follows from the other
N_BINS = 100
VERBOSE = False
SEED = 1
REPLACE = False
MEMORY_MB = 64
STRATEGY = "auto"
MAX_COMPETITORS = 0

NUM_TREES = 100
NUM_PERMUTATIONS = 1
SAMPLE_RATIO: float = 1
SAMPLING = "poisson"
SPLIT_RULE = "best"
IMPORTANCE = True
OOB_PREDICTIONS = False
INTERVALS = False
GROWN_OUT_MIN_SPLIT = {True: 2, False: 5}  # of trees that are not pruned: of classes, of numbers (Breiman 2001)
GROWN_OUT_MIN_BUCKET = 1

LEARNING_RATE = 0.1
BOOST_LEAVES = 31
BOOST_MIN_BUCKET = 20
BOOST_BINS = 255
L2: float = 0
MIN_GAIN: float = 0
SUBSAMPLE: float = 1
FEATURE_FRACTION: float = 1
CAT_SMOOTH: float = 10
LOSS_QUANTILE = 0.9
CORRECT_PRIOR = False
CAT_L2: float = 10
MAX_CAT_THRESHOLD = 32
MIN_DATA_PER_GROUP = 100
TOP_RATE: float = 1
OTHER_RATE = 0.1
CALIBRATION_METHOD = "isotonic"
BOOST_METHOD = "gradient"
CATEGORY_ENCODING = "none"
PRIOR_WEIGHT: float = 1
VALIDATION_FRACTION: float = 0
PATIENCE = 10
TOLERANCE = 1e-7

MAX_SURROGATES = 0
NULL_AS_CATEGORY = False
SURROGATE_STYLE = 0
CP = 0.0
N_FOLDS = 0
RULE = "min"

PREDICTION_TYPE = "response"
LEVEL = 0.9
TRUST_OWNER = False
FULL = False
LAYOUT = "wide"
ACCUMULATED = False
ICE = False
GRID_SIZE = 50
MAX_ROWS = 10_000
REPEATS = 5
HOLDOUT = 0.25
MAX_POINTS = 100  # of a curve
RELIABILITY_BINS = 10
LEVELS = "0.9"
KEPT_LEVELS = "0.8,0.9,0.95"
METHOD = "tree"
TUNING_FOLDS = 5
SEARCH = "grid"
