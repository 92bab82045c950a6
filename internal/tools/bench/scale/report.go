package main

import (
	"fmt"
	"io"
	"strings"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/stats"
)

// markdown prints the table. The first place is what the ratios are about; growth is that of runs that wait.
func markdown(w io.Writer, m machine.Machine, rounds int, results map[string]*found) {
	fmt.Fprintf(w, "%s; medians of %d rounds, all places in one run. In brackets: how often the value of %s.\n\n", m, rounds, places()[0].name)
	head, line := "| |", "|---|"
	var shown []*place
	for _, p := range places() {
		if results[p.name] != nil && p.count != 2 { // two are in the growth alone
			shown = append(shown, p)
			head += " " + p.name + " |"
			line += "---|"
		}
	}
	fmt.Fprintf(w, "%s\n%s\n| needs |", head, line)
	for _, p := range shown {
		fmt.Fprintf(w, " %s |", p.needs)
	}
	fmt.Fprint(w, "\n| runs of a process that dies |")
	for _, p := range shown {
		fmt.Fprintf(w, " %s |", p.dies)
	}
	fmt.Fprintln(w)
	first := results[places()[0].name]
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.title)
		for _, p := range shown {
			f := results[p.name]
			fmt.Fprintf(w, " %s |", f.cell(r, first))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| runs of the killed process that ended right |")
	for _, p := range shown {
		f := results[p.name]
		if f.deaths == 0 {
			fmt.Fprint(w, " |")
			continue
		}
		fmt.Fprintf(w, " %d of %d |", f.right, f.deaths)
	}
	fmt.Fprint(w, "\n| of their calls, made twice |")
	for _, p := range shown {
		if f := results[p.name]; f.deaths > 0 {
			fmt.Fprintf(w, " %d |", f.twice)
		} else {
			fmt.Fprint(w, " |")
		}
	}
	fmt.Fprintln(w)
	growth(w, results)
	for _, p := range shown {
		if wrong := results[p.name].wrong; len(wrong) > 0 {
			fmt.Fprintf(w, "\n%s: %s\n", p.name, strings.Join(wrong, "; "))
		}
	}
}

// cell is a value with its ratio.
func (f *found) cell(r row, first *found) string {
	if len(f.values[r]) == 0 {
		return ""
	}
	v := stats.Median(f.values[r])
	text := fmt.Sprintf("%.*f %s", r.digit, v, r.unit)
	if first != nil && first != f && len(first.values[r]) > 0 {
		text += fmt.Sprintf(" (%.2g)", v/stats.Median(first.values[r]))
	}
	return text
}

// growing are the rows whose growth is shown.
var growing = map[row]string{
	slow:  fmt.Sprintf("runs of 3 calls of %v", slowly),
	waits: fmt.Sprintf("runs of 3 calls of %v", wait),
	busy:  "runs of 3 calls that do not wait",
	keyed: "the same, with a key",
}

// growth prints how runs a second grow from one process to more.
func growth(w io.Writer, results map[string]*found) {
	fmt.Fprint(w, "\n| runs a second, times those of one | | two | three |\n|---|---|---|---|\n")
	for _, kind := range []struct{ of, one, two, three string }{
		{"processes over Postgres", "one process, Postgres", "two behind a balancer", "three behind a balancer"},
		{"workers of Temporal", "Temporal, one worker", "Temporal, two workers", "Temporal, three workers"},
	} {
		for _, r := range []row{slow, waits, busy, keyed} {
			var values []float64
			for _, name := range []string{kind.one, kind.two, kind.three} {
				if f := results[name]; f != nil && len(f.values[r]) > 0 {
					values = append(values, stats.Median(f.values[r]))
				}
			}
			if len(values) == 3 {
				fmt.Fprintf(w, "| %s | %s | %.2f | %.2f |\n", kind.of, growing[r], values[1]/values[0], values[2]/values[0])
			}
		}
	}
}
