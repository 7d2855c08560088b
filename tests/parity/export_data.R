# Write R's own data sets (package datasets) as CSV into data/, with case weights and folds drawn from a seed.
# Run by hand before make_data.py: Rscript tests/parity/export_data.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))

export <- function(frame, name, seed) {
    set.seed(seed)
    names(frame) <- gsub(".", "_", tolower(names(frame)), fixed = TRUE)
    frame$w <- sample(13:192, nrow(frame), replace = TRUE) / 64
    frame$fold <- sample(rep(1:5, length.out = nrow(frame)))
    write.csv(frame, file.path(here, "data", paste0(name, ".csv")), row.names = FALSE, na = "", quote = FALSE)
}

export(datasets::mtcars, "mtcars", 1)
export(datasets::iris, "iris", 8)
export(datasets::airquality, "airquality", 3)
