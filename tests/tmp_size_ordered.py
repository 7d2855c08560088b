import sys, resource, time
sys.path.insert(0, "benchmarks")
import category_encoding as ce
import numpy as np
def test_bench(db):
    db.autocommit = True
    db.execute("SET client_min_messages = error")
    for n_rows, n_cat in ((200_000, 50_000),):
        data = ce.made(n_rows, n_cat, False); ce.load(db, data)
        train = np.random.default_rng(0).random(n_rows) >= 0.25
        for enc in ("none", "ordered"):
            print(enc, flush=True); said, sec, size = ce.by_madtree(db, train, False, enc, 0)
            n = db.execute("SELECT sum(cardinality(category_sets)) FROM model_packed").fetchone()[0]
            named = db.execute("SELECT sum(cardinality(left_levels)+cardinality(right_levels)) FROM model_nodes").fetchone()[0]
            (pid,) = db.execute("SELECT pg_backend_pid()").fetchone()
            t = time.time(); db.execute("DROP TABLE IF EXISTS scored; SELECT madtree.boost_predict('model','test','scored')"); t = time.time() - t
            hwm = [l for l in open(f"/proc/{pid}/status") if "VmHWM" in l][0].split()[1]
            print(n_rows, n_cat, enc, "train s", round(sec,1), "MB", round(size/2**20,1), "list", n, "named", named, "predict s", round(t,2), "HWM MB", int(hwm)//1024, "loss", ce.loss(data["y"].to_numpy()[~train], said, False), flush=True)
