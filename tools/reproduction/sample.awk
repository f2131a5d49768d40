# sample.awk - `samples` random samples of `size` rows of a CSV file, to FOLDER/1.csv, FOLDER/2.csv ...
#
#   awk -v size=10000 -v samples=10 -v folder=FOLDER -f sample.awk FILE
#
# Selection sampling: each row is taken with the chance that the sample, where it stands, still needs
# it, so every sample has exactly `size` rows, in the input's order. The numbers are those of Park and
# Miller 1988, one stream for all samples: the same rows on every machine, which rand() does not promise.
function next_random() {
    state = (state * 16807) % 2147483647
    return state / 2147483647
}

{ line[NR] = $0 }

END {
    state = 20080424
    for (s = 1; s <= samples; s++) {
        file = folder "/" s ".csv"
        print line[1] >file
        wanted = size
        for (i = 2; i <= NR; i++) {
            if (next_random() * (NR - i + 1) >= wanted) continue
            print line[i] >file
            wanted--
        }
        close(file)
    }
}
