# What ranger says between, of the trees and the outcomes of their leaves that test_ranger_quantiles.py exports:
# Rscript tests/parity/make_quantiles.R DIRECTORY > tests/parity/golden/ranger/quantiles.json
# A forest of ranger's own is grown for the shape of the object, and its trees are replaced.

suppressMessages(library(ranger))
directory <- commandArgs(TRUE)[1]
nodes <- read.csv(file.path(directory, "nodes.csv"))
new <- read.csv(file.path(directory, "rows.csv"))
features <- c("x", "y", "z")
n_trees <- max(nodes$tree) + 1

fit <- ranger(outcome ~ ., data.frame(new[features], outcome = rnorm(nrow(new))), num.trees = n_trees, quantreg = TRUE)
stopifnot(identical(fit$forest$independent.variable.names, features))
values <- matrix(NA_real_, max(table(nodes$tree)), n_trees)
for (tree in seq_len(n_trees)) {
    own <- nodes[nodes$tree == tree - 1, ]
    is_leaf <- is.na(own$threshold)
    place <- function(node) ifelse(is_leaf, 0, match(node, own$node) - 1)
    fit$forest$child.nodeIDs[[tree]] <- list(place(2 * own$node + 1), place(2 * own$node + 2))
    fit$forest$split.varIDs[[tree]] <- ifelse(is_leaf, 0, match(own$feature, features) - 1)
    fit$forest$split.values[[tree]] <- ifelse(is_leaf, 0, own$threshold)
    values[seq_len(nrow(own)), tree] <- own$outcome
}
fit$random.node.values <- values

levels <- c(0.5, 0.75, 0.9)
said <- vapply(levels, function(level) {
    below <- (1 - level) / 2
    found <- predict(fit, new, type = "quantiles", quantiles = c(below, 1 - below))$predictions
    rows <- apply(found, 1, function(row) sprintf("[%s]", paste(sprintf("%.17g", row), collapse = ", ")))
    sprintf('"%g": [%s]', level, paste(rows, collapse = ",\n"))
}, "")
text <- paste(vapply(c("nodes.csv", "rows.csv"), function(name) {
    path <- file.path(directory, name)
    rawToChar(readBin(path, "raw", file.size(path)))
}, ""), collapse = "")
writeLines(text, file.path(directory, "both"), sep = "")
sum <- sub(" .*", "", system2("sha256sum", file.path(directory, "both"), stdout = TRUE))
cat(sprintf('{"ranger": "%s", "sha256": "%s", "levels": {\n%s\n}}\n', packageVersion("ranger"), sum,
            paste(said, collapse = ",\n")))
