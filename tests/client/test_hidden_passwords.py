"""Whatever shows an estimator shows no password: notebooks and logs are kept, and handed on."""

from __future__ import annotations

import pickle

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import madtree

CLASSES = [getattr(madtree, name) for name in sorted(madtree.__all__) if name.endswith(("Classifier", "Regressor"))]
STRINGS = {
    "postgresql://u:hunter2@127.0.0.1:5999/x": "user=u dbname=x host=127.0.0.1 port=5999",
    "host=127.0.0.1 password='hunter2 ' sslpassword=hunter2": "host=127.0.0.1",
    "postgresql://u:hunter2@127.0.0.1/x?nothing=1": "...",
    "postgresql://u@127.0.0.1/x": "postgresql://u@127.0.0.1/x",
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("string", STRINGS)
def test_an_estimator_shows_no_password(string: str) -> None:
    assert len(CLASSES) >= 8
    for kind in CLASSES:
        estimator = kind(connection=string)
        pipeline = make_pipeline(StandardScaler(), estimator)
        search = GridSearchCV(pipeline, {f"{kind.__name__.lower()}__max_depth": [1]})
        for shown in (estimator, clone(estimator), pickle.loads(pickle.dumps(estimator)), pipeline, search):
            texts = [repr(shown), str(shown), repr(shown.get_params()), estimator_html_repr(shown)]
            assert not [text for text in texts if "hunter2" in text]
        assert repr(STRINGS[string]) in repr(estimator)
        estimator.set_params(connection=f"{string} ")
        assert "hunter2" not in repr(estimator)


def test_what_was_given_is_kept(client: madtree.Client) -> None:
    for string in STRINGS:
        estimator = madtree.DecisionTreeClassifier(connection=string)
        assert estimator.get_params()["connection"] == estimator.connection == clone(estimator).connection == string
    assert madtree.DecisionTreeClassifier(connection=client).connection is client
