package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"toolgraph/internal/tools/bench/machine"
	"toolgraph/internal/tools/bench/stats"
)

func (l *line) rule() bool { return strings.HasPrefix(l.Subject, "rule") }

// ratio is the time of toolgraph over that of Node, the median over the rounds; NaN without Node.
func (l *line) ratio() float64 { return stats.Median(stats.Ratios(l.Own, l.Node)) }

// markdown writes the table and how far the project's goals are reached.
func markdown(w io.Writer, m machine.Machine, all []*input, lines []*line) {
	fmt.Fprintf(w, "On %s. Medians of an evaluation; compiled once on both sides.\n", m)
	fmt.Fprintf(w, "Against %s and %s.\n\n", jsonataPackage, jsonLogicPackage)
	fmt.Fprint(w, "| expression | context | toolgraph | on node | ratio |\n|---|---|---:|---:|---:|\n")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", l.Subject, l.Input,
			duration(stats.Median(l.Own)), duration(stats.Median(l.Node)), figure(l.ratio()))
	}
	fmt.Fprintln(w)
	for _, in := range all {
		var ratios []float64
		for _, l := range lines {
			if r := l.ratio(); l.Input == in.name && !l.rule() && !math.IsNaN(r) {
				ratios = append(ratios, r)
			}
		}
		if len(ratios) > 0 {
			fmt.Fprintf(w, "- JSONata, %s context (%d items): geometric mean %s (goal: at most %v), highest %s (goal: at most %v)\n",
				in.name, in.items, figure(stats.Geomean(ratios)), in.mean, figure(slices.Max(ratios)), in.most)
		}
	}
	for _, l := range lines {
		if l.Subject == "rule ==" {
			fmt.Fprintf(w, "- JSON Logic == over the %s context: %s (goal: at most 1 µs)\n", l.Input, duration(stats.Median(l.Own)))
		}
	}
}

func figure(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}

// duration is ns with three digits in the unit that fits.
func duration(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return "–"
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.3g ms", ns/1e6)
}

// writeJSON writes everything to a file.
func writeJSON(path string, m machine.Machine, lines []*line) error {
	text, err := json.MarshalIndent(struct {
		Machine machine.Machine `json:"machine"`
		Lines   []*line         `json:"lines"`
	}{m, lines}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
