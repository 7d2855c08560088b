# What rpart makes of every case of cases.json, as golden/<data set>.json. Needs the packages rpart and jsonlite.
# Run by hand after make_data.py: Rscript tests/parity/make_golden.R

library(rpart)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
read_table <- function(name)
    read.csv(file.path(here, "data", paste0(name, ".csv")), colClasses = "character", na.strings = "")

# A column of texts as rpart is to see it. Levels in C order, as PostgreSQL's collation "C" has them; a boolean is a
# factor, since rpart would take a logical for a number; a level that was not in the training rows is missing.
typed <- function(values, kind, levels)
    switch(kind, float = , integer = as.numeric(values), ordered = factor(values, levels, ordered = TRUE),
           factor = , boolean = factor(values, levels))

# JSON with 17 digits (jsonlite writes at most 15): vectors and rows of matrices as arrays, named lists as objects.
json <- function(x) {
    if (is.null(x)) return("null")
    if (is.matrix(x)) return(paste0("[", paste(apply(x, 1, json), collapse = ","), "]"))
    if (is.list(x)) {
        pairs <- paste0('"', names(x), '":', vapply(x, json, ""), recycle0 = TRUE)
        return(paste0("{", paste(pairs, collapse = ","), "}"))
    }
    text <- if (is.character(x)) paste0('"', x, '"', recycle0 = TRUE) else sprintf("%.17g", as.numeric(x))
    paste0("[", paste(ifelse(is.na(x), "null", text), collapse = ","), "]")
}

golden <- function(set, name, case) {
    data <- read_table(if (is.null(set$data)) name else set$data)
    scored <- read_table(paste0(if (is.null(set$data)) name else set$data, "_new"))
    levels <- list()
    for (feature in names(set$features)) {
        levels[[feature]] <- if (set$features[[feature]] == "ordered") unlist(set$orders[[feature]])
                             else sort(unique(data[[feature]]), method = "radix")
        data[[feature]] <- typed(data[[feature]], set$features[[feature]], levels[[feature]])
        scored[[feature]] <- typed(scored[[feature]], set$features[[feature]], levels[[feature]])
    }
    y <- data[[set$dependent]]
    data[[set$dependent]] <- if (set$method == "class") factor(y, sort(unique(y), method = "radix"))
                             else as.numeric(y)
    option <- function(key, default) if (is.null(case[[key]])) default else case[[key]]
    data$case_weight <- if (option("weights", FALSE)) as.numeric(data$w) else 1
    # "lone": no feature can stand in for another. rpart must search for surrogates all the same: without them it
    # leaves rows with a missing value where they are, see docs/rpart.md.
    control <- rpart.control(
        minsplit = case$minsplit, minbucket = case$minbucket, cp = case$cp, maxcompete = option("maxcompete", 0),
        maxsurrogate = if (option("lone", FALSE)) 1 else option("maxsurrogate", 0), usesurrogate = 2,
        surrogatestyle = option("surrogatestyle", 0), maxdepth = option("maxdepth", 30),
        xval = if (option("folds", FALSE)) as.integer(data$fold) else 0)
    parms <- switch(set$method, class = list(split = option("split", "gini")),
                    poisson = list(shrink = option("shrink", 1)))
    if (option("exposure", FALSE)) data$counted <- cbind(as.numeric(data[[set$exposure]]), data[[set$dependent]])
    outcome <- if (option("exposure", FALSE)) "counted" else set$dependent
    cost <- rep(1, length(set$features))
    cost[match(names(case$cost), names(set$features))] <- unlist(case$cost)
    fit <- rpart(reformulate(names(set$features), outcome), data, cost = cost, weights = case_weight, method = set$method,
                 parms = parms, control = control)

    node <- as.integer(row.names(fit$frame))
    where <- rep(NA, nrow(data))
    where[as.integer(names(fit$where))] <- node[fit$where]
    frame <- fit$frame
    counts <- if (set$method == "class") frame$yval2[, 1 + seq_along(attr(fit, "ylevels")), drop = FALSE]
    terms <- model.frame(delete.response(fit$terms), scored, na.action = na.pass)
    new <- node[rpart:::pred.rpart(fit, rpart:::rpart.matrix(terms))]
    stopifnot(identical(unname(predict(fit, scored, type = "vector")), frame$yval[match(new, node)]))
    list(
        frame = list(node = node, var = as.character(frame$var), n = frame$n, wt = frame$wt, dev = frame$dev,
                     yval = if (set$method == "class") attr(fit, "ylevels")[frame$yval] else frame$yval,
                     complexity = frame$complexity, nsurrogate = frame$nsurrogate, ncompete = frame$ncompete),
        classes = attr(fit, "ylevels"), counts = counts,
        splits = list(var = rownames(fit$splits), ncat = unname(fit$splits[, "ncat"]),
                      improve = unname(fit$splits[, "improve"]), index = unname(fit$splits[, "index"]),
                      adj = unname(fit$splits[, "adj"])),
        csplit = fit$csplit,
        levels = levels[intersect(names(levels), rownames(fit$splits)[fit$splits[, "ncat"] > 1])],
        cptable = lapply(split(t(fit$cptable), colnames(fit$cptable)), as.numeric),
        importance = as.list(fit$variable.importance),
        where = where,
        scored = new)
}

sets <- jsonlite::read_json(file.path(here, "cases.json"))
for (name in names(sets)) {
    set <- sets[[name]]
    cases <- lapply(set$cases, function(case) golden(set, name, case))
    lines <- paste0('"', names(cases), '": ', vapply(cases, json, ""), collapse = ",\n")
    writeLines(paste0("{", lines, "}"), file.path(here, "golden", paste0(gsub(" ", "_", name), ".json")))
}
