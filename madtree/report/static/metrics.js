// How well the model does: metrics on the rows of a table and in cross-validation, matrix or residuals below.

const METRIC_NAMES = {
  n: "rows", n_skipped: "rows left out", accuracy: "accuracy", balanced_accuracy: "balanced accuracy", log_loss: "log loss",
  auc: "AUC", rmse: "RMSE", mae: "MAE", r2: "R²", poisson_deviance: "mean Poisson deviance",
};

// One of `tiles` is [name, value, what stands below the value].
function metricTiles(tiles) {
  return make("dl", { class: "tiles" }, ...tiles.map(([name, value, below]) => make("div", { class: "tile" },
    make("dt", null, name), make("dd", null, value), ...(below ? [make("dd", { class: "below" }, below)] : []))));
}

function measuredTiles(metrics) {
  return Object.keys(METRIC_NAMES).filter((name) => name in metrics && (name !== "n_skipped" || metrics[name]))
    .map((name) => [METRIC_NAMES[name], metricText(name, metrics[name])]);
}

// Of the chosen tree of a pruning sequence. 1 less the relative error is R², since the root predicts the mean.
function crossValidatedTiles(row, { isClassification, ofCounts }) {
  const between = row.cv_error_stddev === null ? null : (text) => `± ${text(row.cv_error_stddev)} between folds`;
  const tiles = [];
  if (row.cv_error_avg !== null && isClassification) {
    tiles.push(["accuracy", percentText(1 - row.cv_error_avg), between?.(percentText)]);
  } else if (row.cv_error_avg !== null) {
    tiles.push([ofCounts ? METRIC_NAMES.poisson_deviance : "RMSE", metricText("rmse", row.cv_error_avg), between?.(roundedText)]);
  }
  if (!isClassification) tiles.push([ofCounts ? "deviance explained" : "R²", metricText("r2", 1 - row.xerror)]);
  tiles.push(["error relative to the root's", roundedText(row.xerror), `± ${roundedText(row.xstd)} standard error`]);
  return tiles;
}

// A row for each tree on the page, with a button that shows it. Of an ensemble no tree is measured alone.
function fillGroups(table, values, choose) {
  const isEnsemble = values.ensembles.length > 0;
  const metrics = isEnsemble ? [] : ["accuracy", "auc", "rmse", "r2"].filter((name) => name in (values.figures.metrics ?? {}));
  const heads = ["rows", "leaves", "depth", ...metrics.map((name) => METRIC_NAMES[name])];
  const rows = values.trees.map((tree) => {
    const button = make("button", { type: "button" }, tree.group || `tree ${tree.id}`);
    button.addEventListener("click", () => choose(tree));
    const of = values.figures.trees?.[tree.id] ?? {};
    const numbers = [tree.rows, tree.leaves, tree.depth].map(numberText).concat(metrics.map((name) => metricText(name, of[name])));
    return make("tr", null, make("td", null, button), ...numbers.map((text) => make("td", { class: "number" }, text)));
  });
  table.replaceChildren(make("thead", null, make("tr", null, make("th", { scope: "col" }, isEnsemble ? "tree" : "group"),
    ...heads.map((text) => make("th", { scope: "col", class: "number" }, text)))), make("tbody", null, ...rows));
}

function metricText(name, value) {
  if (value === undefined) return "–";
  if (["accuracy", "balanced_accuracy"].includes(name)) return percentText(value);
  return Number.isInteger(value) ? numberText(value) : String(Number(value.toPrecision(4)));
}

function showErrors(place, values, tree) {
  const { figures } = values;
  place.replaceChildren();
  const blocks = [];
  const block = (title, tiles, ...said) => blocks.push(make("div", { class: "block" }, make("h3", null, title), metricTiles(tiles),
    ...said.filter(Boolean).map((text) => make("p", { class: "hint" }, text))));
  const where = figures.measured?.title;
  const ensemble = values.ensembles.find((each) => each.gid === tree.gid);
  const about = values.grouped ? `, ${ensemble ? ensemble.group : tree.group}` : "";
  const together = ensemble ? "all groups together" : "all trees together";
  const measured = tree.gid ?? tree.id; // ensembles are measured as a whole
  if (figures.metrics) block(values.grouped ? `${where}, ${together}` : where, measuredTiles(figures.metrics), figures.measured.said, figures.measured.changed);
  if (values.grouped && figures.trees?.[measured]) block(`${where}${about}`, measuredTiles(figures.trees[measured]));
  const chosen = values.cv[tree.id]?.find((row) => row.chosen && row.xerror !== null);
  if (chosen) {
    block(`In cross-validation${about}`, crossValidatedTiles(chosen, values), values.folds);
  }
  if (figures.note) place.append(make("p", { class: "note" }, figures.note));
  if (blocks.length) place.append(make("div", { class: "blocks" }, ...blocks));
  if (figures.missing) place.append(make("p", { class: "note" }, figures.missing));
  const cells = values.grouped ? figures.confusions?.[measured] ?? figures.confusion : figures.confusion;
  if (cells) place.append(make("h3", null, `Confusion matrix ${where.toLowerCase()}${about}`), ...confusionParts(figures.labels, cells, values));
  if (figures.curve?.length && figures.curve.at(-1).lift !== null && figures.curve.at(-1).false_positive_rate !== null) showCurves(place, values);
  if (figures.points || figures.ranges) {
    const frame = make("div");
    place.append(make("h3", null, `Residuals ${where.toLowerCase()}${values.grouped ? `, ${together}` : ""}`), frame);
    showResiduals(frame, figures);
    const how = figures.points ? "A point is a row." : "A box is the middle half of the rows whose prediction is in that range, its line the median; whiskers reach from 5 % to 95 %.";
    place.append(make("p", { class: "hint" }, how));
  }
}
