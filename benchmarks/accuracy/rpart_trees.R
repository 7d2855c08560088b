# rpart's trees for each split: reads data.csv and folds.csv (0: held out) in a directory, writes the predictions for all
# rows and the numbers of leaves, of trees that are grown and of trees that are cut back by cross-validation.
# Rscript rpart_trees.R DIRECTORY class|anova MAXDEPTH MINSPLIT MINBUCKET

library(rpart)

given <- commandArgs(TRUE)
here <- given[1]
method <- given[2]
classes <- method == "class"
limit <- as.integer(given[3:5])
data <- read.csv(file.path(here, "data.csv"), na.strings = "", stringsAsFactors = TRUE)
folds <- read.csv(file.path(here, "folds.csv"))
if (classes) data$y <- factor(data$y)
logical <- vapply(data, is.logical, NA)
data[logical] <- lapply(data[logical], factor)

leaves <- function(tree) sum(tree$frame$var == "<leaf>")
predicted <- function(tree) {
    values <- predict(tree, data, type = if (classes) "class" else "vector")
    if (classes) as.character(values) else sprintf("%.17g", values)
}

grown <- pruned <- grown_leaves <- pruned_leaves <- list()
for (split in names(folds)) {
    known <- folds[[split]] > 0
    train <- data[known, , drop = FALSE]
    set <- function(xval) rpart.control(minsplit = limit[2], minbucket = limit[3], maxdepth = limit[1], cp = 0,
        xval = xval, maxcompete = 0, maxsurrogate = 5, usesurrogate = 2)
    tree <- rpart(y ~ ., train, method = method, control = set(folds[[split]][known]))
    table <- tree$cptable
    grown[[split]] <- predicted(tree)
    grown_leaves[[split]] <- leaves(tree)
    if (nrow(table) > 1) tree <- prune(tree, table[which.min(table[, "xerror"]), "CP"])
    pruned[[split]] <- predicted(tree)
    pruned_leaves[[split]] <- leaves(tree)
}
save <- function(lists, name) write.csv(as.data.frame(lists), file.path(here, name), row.names = FALSE)
save(grown, "grown.csv")
save(pruned, "pruned.csv")
save(grown_leaves, "grown_leaves.csv")
save(pruned_leaves, "pruned_leaves.csv")
