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

# Cross-validated errors from the classes that the folds' trees predict. rpart's own, in the cp table, are of losses with
# true and predicted class interchanged (4.1.19, ginipred in src/gini.c, against ginidev), which is asserted here.
cross_validated <- function(fit, fold, w) {
    cp <- fit$cptable[, "CP"]
    points <- c(10 * cp[1], sqrt(cp[-1] * cp[-length(cp)]))
    predicted <- xpred.rpart(fit, xval = fold, cp = points)
    true <- as.integer(fit$y)
    share <- fit$parms$prior / (tapply(w, true, sum) / sum(w))
    table_of <- function(loss) {
        error <- apply(predicted, 2, function(class) share[true] * loss[cbind(true, class)])
        error <- matrix(error, nrow(predicted))
        total <- colSums(w * error)
        cbind(total, sqrt(colSums(w * error^2) - total^2 / sum(w))) / fit$frame$dev[1]
    }
    stopifnot(all.equal(unname(table_of(t(fit$parms$loss))), unname(fit$cptable[, c("xerror", "xstd")])))
    table_of(fit$parms$loss)
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
    if (!is.null(case$prior)) parms$prior <- unlist(case$prior)
    if (!is.null(case$loss)) parms$loss <- matrix(unlist(case$loss), length(case$loss), byrow = TRUE)
    if (option("exposure", FALSE)) data$counted <- cbind(as.numeric(data[[set$exposure]]), data[[set$dependent]])
    outcome <- if (option("exposure", FALSE)) "counted" else set$dependent
    cost <- rep(1, length(set$features))
    cost[match(names(case$cost), names(set$features))] <- unlist(case$cost)
    fit <- rpart(reformulate(names(set$features), outcome), data, cost = cost, weights = case_weight, method = set$method,
                 parms = parms, control = control, x = TRUE)
    if (!is.null(case$loss) && option("folds", FALSE)) {
        used <- as.integer(names(fit$where))
        fit$cptable[, c("xerror", "xstd")] <-
            cross_validated(fit, as.integer(data$fold)[used], data$case_weight[used])
    }

    node <- as.integer(row.names(fit$frame))
    where <- rep(NA, nrow(data))
    where[as.integer(names(fit$where))] <- node[fit$where]
    frame <- fit$frame
    counts <- if (set$method == "class") frame$yval2[, 1 + seq_along(attr(fit, "ylevels")), drop = FALSE]
    shares <- if (!is.null(case$prior)) frame$yval2[, 1 + ncol(counts) + seq_len(ncol(counts)), drop = FALSE]
    terms <- model.frame(delete.response(fit$terms), scored, na.action = na.pass)
    new <- node[rpart:::pred.rpart(fit, rpart:::rpart.matrix(terms))]
    stopifnot(identical(unname(predict(fit, scored, type = "vector")), frame$yval[match(new, node)]))
    answer <- list(
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
    if (is.null(shares)) answer else c(answer, list(shares = shares))
}

sets <- jsonlite::read_json(file.path(here, "cases.json"))
for (name in names(sets)) {
    set <- sets[[name]]
    cases <- lapply(set$cases, function(case) golden(set, name, case))
    lines <- paste0('"', names(cases), '": ', vapply(cases, json, ""), collapse = ",\n")
    writeLines(paste0("{", lines, "}"), file.path(here, "golden", paste0(gsub(" ", "_", name), ".json")))
}
