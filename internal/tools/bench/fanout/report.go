package main

import (
	"fmt"
	"io"
	"time"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/stats"
)

// goal is how much longer than their waits calls for the items of a list may take.
const goal = 1.2

// markdown writes the table, and what this run misses.
func markdown(w io.Writer, m machine.Machine, wait time.Duration, rows []*row, ended time.Duration) {
	fmt.Fprintf(w, "On %s. A call takes %v. Medians; the ratio is that to the same waits without toolgraph, the median over the rounds.\n\n", m, wait)
	fmt.Fprint(w, "| form | calls | at once | a run | the waits alone | ratio | processor time a call | records | memory a record | of it the value |\n")
	fmt.Fprint(w, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %d | %d | %.0f ms | %.0f ms | %.2f | %.1f µs | %d | %.0f B | %.0f B |\n", r.name, r.calls, r.width,
			stats.Median(r.took), stats.Median(r.bare), stats.Median(stats.Ratios(r.took, r.bare)), stats.Median(r.cpu), r.records, r.held, r.values)
	}
	fmt.Fprintf(w, "\nA run with %d calls in flight ended %.1f ms after its cancellation (goal: at most 100 ms).\n", rows[0].width, milliseconds(ended))
	for _, r := range rows {
		if ratio := stats.Median(stats.Ratios(r.took, r.bare)); r.goal && ratio > goal {
			fmt.Fprintf(w, "\nGoal that this run misses: %s takes %.2f × of its waits, at most %.1f.\n", r.name, ratio, goal)
		}
	}
}
