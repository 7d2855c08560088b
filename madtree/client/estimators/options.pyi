# Made by scripts/client_stubs.py, which is to be run again where the code says something else.

from typing import Any

from madtree.client.calls import Names, Pairs

class Options:
    """The parameters of an estimator."""

    ...

class TreeClassifierOptions(Options):
    """Of `DecisionTreeClassifier`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    criterion: str
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    cp: float
    n_folds: int
    rule: str
    fold_col: str | None
    verbose: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    class_params: Pairs | None
    feature_costs: Pairs | None
    max_competitors: int
    splitter: str
    max_features: Any
    ccp_alpha: float
    monotonic_cst: Any
    class_weight: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        criterion: str = "gini",
        max_depth: int | None = 10,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        cp: float = -1.0,
        n_folds: int = 0,
        rule: str = "min",
        fold_col: str | None = None,
        verbose: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_params: Pairs | None = None,
        feature_costs: Pairs | None = None,
        max_competitors: int = 0,
        splitter: str = "best",
        max_features: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        class_weight: Any = None,
    ) -> None: ...

class TreeRegressorOptions(Options):
    """Of `DecisionTreeRegressor`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    criterion: str
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    cp: float
    n_folds: int
    rule: str
    fold_col: str | None
    verbose: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    exposure: str | None
    shrink: float | None
    feature_costs: Pairs | None
    max_competitors: int
    splitter: str
    max_features: Any
    ccp_alpha: float
    monotonic_cst: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        criterion: str = "squared_error",
        max_depth: int | None = 10,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        cp: float = -1.0,
        n_folds: int = 0,
        rule: str = "min",
        fold_col: str | None = None,
        verbose: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        exposure: str | None = None,
        shrink: float | None = None,
        feature_costs: Pairs | None = None,
        max_competitors: int = 0,
        splitter: str = "best",
        max_features: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
    ) -> None: ...

class ForestClassifierOptions(Options):
    """Of `RandomForestClassifier`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    n_estimators: int
    max_features: Any
    oob_score: bool
    num_permutations: int
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    verbose: bool
    max_samples: Any
    criterion: str
    bootstrap: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    class_weight: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_estimators: int = 100,
        max_features: Any = "sqrt",
        oob_score: bool = False,
        num_permutations: int = 0,
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        verbose: bool = False,
        max_samples: Any = None,
        criterion: str = "gini",
        bootstrap: bool = True,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        class_weight: Any = None,
    ) -> None: ...

class ForestRegressorOptions(Options):
    """Of `RandomForestRegressor`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    n_estimators: int
    max_features: Any
    oob_score: bool
    num_permutations: int
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    verbose: bool
    max_samples: Any
    criterion: str
    bootstrap: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_estimators: int = 100,
        max_features: Any = 1.0,
        oob_score: bool = False,
        num_permutations: int = 0,
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        verbose: bool = False,
        max_samples: Any = None,
        criterion: str = "squared_error",
        bootstrap: bool = True,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
    ) -> None: ...

class ExtraTreesClassifierOptions(Options):
    """Of `ExtraTreesClassifier`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    n_estimators: int
    max_features: Any
    oob_score: bool
    num_permutations: int
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    verbose: bool
    max_samples: Any
    criterion: str
    bootstrap: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    class_weight: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_estimators: int = 100,
        max_features: Any = "sqrt",
        oob_score: bool = False,
        num_permutations: int = 0,
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        verbose: bool = False,
        max_samples: Any = None,
        criterion: str = "gini",
        bootstrap: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        class_weight: Any = None,
    ) -> None: ...

class ExtraTreesRegressorOptions(Options):
    """Of `ExtraTreesRegressor`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    n_estimators: int
    max_features: Any
    oob_score: bool
    num_permutations: int
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    n_bins: int
    max_surrogates: int
    null_as_category: bool
    surrogate_style: int
    verbose: bool
    max_samples: Any
    criterion: str
    bootstrap: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        n_estimators: int = 100,
        max_features: Any = 1.0,
        oob_score: bool = False,
        num_permutations: int = 0,
        max_depth: int | None = None,
        min_samples_split: float | None = 2,
        min_samples_leaf: float | None = 1,
        n_bins: int = 100,
        max_surrogates: int = 0,
        null_as_category: bool = False,
        surrogate_style: int = 0,
        verbose: bool = False,
        max_samples: Any = None,
        criterion: str = "squared_error",
        bootstrap: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
    ) -> None: ...

class BoostingClassifierOptions(Options):
    """Of `GradientBoostingClassifier`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    loss: str
    max_iter: int
    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: float | None
    max_bins: int
    l2_regularization: float
    min_gain: float
    subsample: float
    feature_fraction: float
    cat_smooth: float
    cat_l2: float
    max_cat_threshold: int
    min_data_per_group: int
    top_rate: float
    other_rate: float
    category_encoding: str
    prior_weight: float
    validation_fraction: float | None
    n_iter_no_change: int
    tol: float
    verbose: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    monotonic_cst: Any
    interaction_cst: Any
    early_stopping: Any
    class_weight: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        loss: str = "log_loss",
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float | None = 20,
        max_bins: int = 255,
        l2_regularization: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        cat_smooth: float = 10.0,
        cat_l2: float = 10.0,
        max_cat_threshold: int = 32,
        min_data_per_group: int = 100,
        top_rate: float = 1.0,
        other_rate: float = 0.1,
        category_encoding: str = "none",
        prior_weight: float = 1.0,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-07,
        verbose: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: Any = "auto",
        class_weight: Any = None,
    ) -> None: ...

class BoostingRegressorOptions(Options):
    """Of `GradientBoostingRegressor`."""

    model: str | None
    id_col_name: str | None
    list_of_features: Names
    list_of_features_to_exclude: Names | None
    loss: str
    max_iter: int
    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: float | None
    max_bins: int
    l2_regularization: float
    min_gain: float
    subsample: float
    feature_fraction: float
    cat_smooth: float
    quantile: float | None
    cat_l2: float
    max_cat_threshold: int
    min_data_per_group: int
    top_rate: float
    other_rate: float
    category_encoding: str
    prior_weight: float
    validation_fraction: float | None
    n_iter_no_change: int
    tol: float
    verbose: bool
    random_state: Any
    replace: bool
    parallel_workers: int | None
    memory_mb: int
    strategy: str
    monotonic_cst: Any
    interaction_cst: Any
    early_stopping: Any
    def __init__(
        self,
        connection: Any = None,
        *,
        model: str | None = None,
        id_col_name: str | None = None,
        list_of_features: Names = "*",
        list_of_features_to_exclude: Names | None = None,
        loss: str = "squared_error",
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float | None = 20,
        max_bins: int = 255,
        l2_regularization: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        cat_smooth: float = 10.0,
        quantile: float | None = None,
        cat_l2: float = 10.0,
        max_cat_threshold: int = 32,
        min_data_per_group: int = 100,
        top_rate: float = 1.0,
        other_rate: float = 0.1,
        category_encoding: str = "none",
        prior_weight: float = 1.0,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-07,
        verbose: bool = False,
        random_state: Any = None,
        replace: bool = False,
        parallel_workers: int | None = None,
        memory_mb: int = 64,
        strategy: str = "auto",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: Any = "auto",
    ) -> None: ...
