"""What a benchmark measured: score matrices, metric specifications, tables in and out."""
