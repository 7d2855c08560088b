"""A real standby as the source of data, and its primary for the models."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from fix_server import Server
from plain_database import left_over
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from standby import standby_of, wait_for_standby

import madtree
from madtree.embedded import PrivateServer


@pytest.fixture
def standby(plain: str, server: Server) -> Iterator[str]:
    """DSN of the ordinary user's database on a standby."""
    if server.home is None:
        pytest.skip("a standby is made of a private server only")
    with standby_of(PrivateServer(server.home), server.dsn) as dsn:
        wait_for_standby(server.dsn, dsn)
        yield make_conninfo(plain, port=conninfo_to_dict(dsn)["port"])


def test_data_of_a_standby(plain: str, standby: str, server: Server) -> None:
    with (
        madtree.connect(standby, model_dsn=plain, on_message=lambda line: None) as client,
        madtree.connect(plain, engine="client") as primary,
    ):
        for grouping in (None, "region"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age, channel", grouping_cols=grouping)
            client.tree_predict("mine.m", "shop.visits", "mine.p")
            primary.tree_train("shop.visits", "mine.same", "id", "bought", "age, channel", grouping_cols=grouping)
            assert client.model("mine.m").nodes.to_dicts() == primary.model("mine.same").nodes.to_dicts()
            assert primary.query("SELECT count(*) FROM mine.p")[0][0] == 900
            for name in ("mine.m", "mine.same"):
                client.tree_drop(name)
            client.query("DROP TABLE mine.p")
        client.forest_train("shop.visits", "mine.f", "id", "bought", "age, channel", num_trees=2, oob_predictions=True)
        assert client.query("SELECT count(*) FROM mine.f_oob")[0][0] == 900
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), madtree.connect(standby, engine="client") as alone:
            alone.tree_train("shop.visits", "mine.m", "id", "bought", "age")
        wait_for_standby(server.dsn, standby)
        superuser = make_conninfo(server.dsn, **{key: conninfo_to_dict(standby)[key] for key in ("dbname", "port")})
        with madtree.connect(superuser, engine="client") as replica:
            # Its owner makes indexes at the primary, with functions that run here where a statement is planned.
            with pytest.raises(madtree.MadtreeError, match="on a standby a superuser cannot be kept"):
                replica.call("tree_evaluate", "mine.f", "shop.visits")
            assert list(replica.call("tree_evaluate", "mine.f", "shop.visits", trust_owner=True))
        client.tree_drop("mine.f")
    assert left_over(plain) == []
