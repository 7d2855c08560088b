from madtree.client import AsyncBoostedModel as AsyncBoostedModel
from madtree.client import AsyncClient as AsyncClient
from madtree.client import AsyncForest as AsyncForest
from madtree.client import AsyncModel as AsyncModel
from madtree.client import BoostedModel as BoostedModel
from madtree.client import CallError as CallError
from madtree.client import Client as Client
from madtree.client import Drawing as Drawing
from madtree.client import Evaluation as Evaluation
from madtree.client import Forest as Forest
from madtree.client import LostConnectionError as LostConnectionError
from madtree.client import Model as Model
from madtree.client import Result as Result
from madtree.client import connect as connect
from madtree.client import connect_async as connect_async
from madtree.client.estimators import DecisionTreeClassifier as DecisionTreeClassifier
from madtree.client.estimators import DecisionTreeRegressor as DecisionTreeRegressor
from madtree.client.estimators import ExtraTreesClassifier as ExtraTreesClassifier
from madtree.client.estimators import ExtraTreesRegressor as ExtraTreesRegressor
from madtree.client.estimators import GradientBoostingClassifier as GradientBoostingClassifier
from madtree.client.estimators import GradientBoostingRegressor as GradientBoostingRegressor
from madtree.client.estimators import RandomForestClassifier as RandomForestClassifier
from madtree.client.estimators import RandomForestRegressor as RandomForestRegressor
from madtree.client.sklearn_forest import to_sklearn as to_sklearn
from madtree.errors import MadtreeError as MadtreeError

__version__: str
__all__: list[str]
