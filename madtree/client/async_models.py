"""Models as objects whose methods are awaited."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from madtree.client.boosted import BoostedModel
from madtree.client.client import Client
from madtree.client.drawing import Drawing
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.result import Contributions, Result
from madtree.client.rows import (
    CompetitorRow,
    CpRow,
    DependenceRow,
    ExplainedRow,
    ImportanceRow,
    NodeRow,
    PermutedRow,
    QuantileRow,
    SurrogateRow,
    TreeRow,
)
from madtree.client.trained import EnsembleModel, TrainedModel
from madtree.trees import Model as TreeModel

P = ParamSpec("P")
T = TypeVar("T")
N = TypeVar("N", bound=TrainedModel)
E = TypeVar("E", bound=EnsembleModel)


class AsyncCaller(Protocol):
    """Where the models are: a client that awaits."""

    async def run(self, work: Callable[[Client], T]) -> T: ...


def of_named(
    method: Callable[Concatenate[N, P], T],
) -> Callable[Concatenate[AsyncNamed[N], P], Coroutine[Any, Any, T]]:
    """A method of `Model` or `Forest` as a coroutine, with the same arguments."""

    @functools.wraps(method)
    async def awaited(self: AsyncNamed[N], /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self._look(lambda it: method(it, *arguments, **named))

    return awaited


class AsyncNamed(Generic[N]):
    """What has a name in the database: a `Model` or a `Forest` whose methods are awaited."""

    _kind: Callable[[Client, str], N]

    def __init__(self, client: AsyncCaller, name: str, message: str | None = None) -> None:
        self.client, self.name, self.message = client, name, message

    def __repr__(self) -> str:
        return f"<madtree.{type(self).__name__} {self.name}>"

    async def _look(self, at: Callable[[N], T]) -> T:
        """What `at` finds in the `Model` or `Forest` of that name."""
        return await self.client.run(lambda client: at(type(self)._kind(client, self.name)))

    async def summary(self) -> dict[str, Any]:
        """The one row of ``<name>_summary``."""
        return await self._look(lambda it: it.summary)

    async def importance(self) -> Result[ImportanceRow]:
        """A row for each feature of each tree or group, the most important first."""
        return await self._look(lambda it: it.importance())

    async def read(self, tree_id: int | None = None) -> TreeModel:
        """All trees as plain values, or the one of that number."""
        return await self._look(lambda it: it.read(tree_id))

    async def shap(self, table: str, *arguments: Any, **named: Any) -> Contributions:
        """What each feature contributes to the predictions of a table's rows; arguments as for `Model.shap`."""
        return await self._look(lambda it: it.shap(table, *arguments, **named))

    async def explain(self, table: str, id: object, *arguments: Any, **named: Any) -> Result[ExplainedRow]:
        """What each feature contributes to the prediction of a row; arguments as for `Model.explain`."""
        return await self._look(lambda it: it.explain(table, id, *arguments, **named))

    async def partial_dependence(self, table: str, features: str, **named: Any) -> Result[DependenceRow]:
        """What it predicts by the values of one feature or two; arguments as for `Client.partial_dependence`."""
        return await self._look(lambda it: it.partial_dependence(table, features, **named))

    async def permutation_importance(
        self, table: str, features: str | None = None, **named: Any
    ) -> Result[PermutedRow]:
        """How much worse it predicts a table whose values are exchanged; arguments as for
        `Client.permutation_importance`.
        """
        return await self._look(lambda it: it.permutation_importance(table, features, **named))

    async def conformal_quantiles(self, table: Any = None, levels: str = "0.9") -> Result[QuantileRow]:
        """How far its predictions of new rows may be off; arguments as for `Model.conformal_quantiles`."""
        return await self._look(lambda it: it.conformal_quantiles(table, levels))

    async def drop(self) -> str:
        """Drop its tables."""
        return await self._look(lambda it: it.drop())


class AsyncModel(AsyncNamed[Model]):
    """A model in the database. Its methods are those of `Model`, awaited; so are what are attributes there."""

    _kind = Model

    display = of_named(Model.display)
    evaluate = of_named(Model.evaluate)
    confusion = of_named(Model.confusion)
    curve = of_named(Model.curve)
    reliability = of_named(Model.reliability)
    drift = of_named(Model.drift)
    predict = of_named(Model.predict)
    cp_table = of_named(Model.cp_table)
    rules = of_named(Model.rules)
    path = of_named(Model.path)
    to_sql = of_named(Model.to_sql)
    to_json = of_named(Model.to_json)
    to_pmml = of_named(Model.to_pmml)
    to_dot = of_named(Model.to_dot)
    to_svg = of_named(Model.to_svg)
    plot = of_named(Model.plot)
    to_sklearn = of_named(Model.to_sklearn)
    locate = of_named(Model.locate)

    async def prune(self, new_model: str, cp: float, *, trust_owner: bool = False) -> AsyncModel:
        """Prune it further into a new model."""
        made = await self._look(lambda it: it.prune(new_model, cp, trust_owner=trust_owner))
        return AsyncModel(self.client, made.name, made.message)

    async def trees(self) -> Result[TreeRow]:
        """The rows of ``<name>``."""
        return await self._look(lambda it: it.trees)

    async def nodes(self) -> Result[NodeRow]:
        """The rows of ``<name>_nodes``."""
        return await self._look(lambda it: it.nodes)

    async def surrogates(self) -> Result[SurrogateRow]:
        """The rows of ``<name>_surrogates``."""
        return await self._look(lambda it: it.surrogates)

    async def competitors(self) -> Result[CompetitorRow]:
        """The rows of ``<name>_competitors``."""
        return await self._look(lambda it: it.competitors)

    async def cv(self) -> Result[CpRow]:
        """The rows of ``<name>_cv``."""
        return await self._look(lambda it: it.cv)


class AsyncEnsemble(AsyncNamed[E]):
    """A model whose groups have several trees each."""

    async def tree(self, sample_id: int, gid: int = 1) -> TreeModel:
        """One tree as plain values: of the group `gid` the one with that number."""
        return await self._look(lambda it: it.tree(sample_id, gid))

    async def plot(self, sample_id: int = 1, max_depth: int | None = None, *, gid: int = 1) -> Drawing:
        """A picture of one tree."""
        return await self._look(lambda it: it.plot(sample_id, max_depth, gid=gid))

    async def trees(self) -> Result[Any]:
        """The rows of ``<name>``: one for each tree, with its group and its number there; of boosted ones its round."""
        return await self._look(lambda it: it.trees)

    async def groups(self) -> Result[Any]:
        """The rows of ``<name>_group``: what is known of each group's trees as a whole, and its importances."""
        return await self._look(lambda it: it.groups)


class AsyncForest(AsyncEnsemble[Forest]):
    """A forest in the database. Its methods are those of `Forest`, awaited; so are what are attributes there."""

    _kind = Forest

    to_sklearn = of_named(Forest.to_sklearn)
    predict = of_named(Forest.predict)
    to_sql = of_named(Forest.to_sql)

    async def oob_error(self) -> float | None:
        """The error on out-of-bag rows of a forest without groups. Raises CallError where there are groups."""
        return await self._look(lambda it: it.oob_error)


class AsyncBoostedModel(AsyncEnsemble[BoostedModel]):
    """A boosted model in the database. Its methods are those of `BoostedModel`, awaited; so are what are attributes
    there.
    """

    _kind = BoostedModel

    predict = of_named(BoostedModel.predict)
    staged_predict = of_named(BoostedModel.staged_predict)
    to_sklearn = of_named(BoostedModel.to_sklearn)
    to_lightgbm = of_named(BoostedModel.to_lightgbm)
    staged = of_named(BoostedModel.staged)
    to_sql = of_named(BoostedModel.to_sql)

    async def cut(self, new_model: str, num_trees: int, *, trust_owner: bool = False) -> AsyncBoostedModel:
        """Its first rounds as a new model."""
        made = await self._look(lambda it: it.cut(new_model, num_trees, trust_owner=trust_owner))
        return AsyncBoostedModel(self.client, made.name, made.message)

    async def rounds(self) -> Result[Any]:
        """The rows of ``<name>_rounds``: the mean losses after each round, by group."""
        return await self._look(lambda it: it.rounds)
