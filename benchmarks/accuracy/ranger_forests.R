# ranger's forests for each split: reads data.csv and folds.csv (0: held out) in a directory, writes the predictions for
# all rows. "random" are extremely randomized trees, on all rows.
# Rscript ranger_forests.R DIRECTORY class|anova best|random TREES MTRY MINNODESIZE

library(ranger)

given <- commandArgs(TRUE)
here <- given[1]
classes <- given[2] == "class"
drawn <- given[3] == "random"
limit <- as.integer(given[4:6])
data <- read.csv(file.path(here, "data.csv"), na.strings = "", stringsAsFactors = TRUE)
folds <- read.csv(file.path(here, "folds.csv"))
if (classes) data$y <- factor(data$y)
logical <- vapply(data, is.logical, NA)
data[logical] <- lapply(data[logical], factor)

rule <- if (drawn) "extratrees" else if (classes) "gini" else "variance"
found <- list()
for (split in names(folds)) {
    train <- data[folds[[split]] > 0, , drop = FALSE]
    forest <- ranger(y ~ ., train, num.trees = limit[1], mtry = limit[2], min.node.size = limit[3], splitrule = rule,
        num.random.splits = 1, replace = !drawn, sample.fraction = 1, respect.unordered.factors = "partition",
        num.threads = 1, oob.error = FALSE, seed = 1 + as.integer(sub("s", "", split)))
    values <- predict(forest, data, num.threads = 1)$predictions
    found[[split]] <- if (classes) as.character(values) else sprintf("%.17g", values)
}
write.csv(as.data.frame(found), file.path(here, "predicted.csv"), row.names = FALSE)
