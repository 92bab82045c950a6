package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"toolgraph/internal/tools/bench/machine"
)

// markdown writes the table for people.
func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "On %s. Medians; a ratio is %s divided by the peer, the median over the rounds.\n\n", t.machine, ours)
	head, line := "| | better |", "|---|---|"
	for _, peer := range t.peers {
		head += " " + peer + " |"
		line += "---:|"
	}
	for _, peer := range t.peers[1:] {
		head += " ÷ " + peer + " |"
		line += "---:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, line)
	for _, r := range t.rows {
		better := "less"
		if r.higher {
			better = "more"
		}
		cells := []string{r.name, better}
		for _, peer := range t.peers {
			cells = append(cells, number(t.median(r.name, peer), r.unit))
		}
		for _, peer := range t.peers[1:] {
			cells = append(cells, number(t.ratio(r.name, peer), ""))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	t.faults(w)
}

// faults lists the calls with a wrong answer.
func (t *table) faults(w io.Writer) {
	fmt.Fprint(w, "\nWrong answers:\n\n")
	none := true
	for _, title := range t.titles {
		for _, peer := range t.peers {
			counts := t.counts[title][peer]
			if counts == nil || counts.failed() == 0 {
				continue
			}
			none = false
			fmt.Fprintf(w, "- %s, %s: %d of %d\n", title, peer, counts.failed(), counts.failed()+counts.right)
			for _, kind := range slices.Sorted(maps.Keys(counts.faults)) {
				fmt.Fprintf(w, "  - %d × %s\n", counts.faults[kind], kind)
			}
		}
	}
	if none {
		fmt.Fprintln(w, "- none")
	}
}

// number is a figure with as many digits as it deserves.
func number(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	digits := 0
	switch {
	case v < 1:
		digits = 3
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, v)
	switch unit {
	case "":
		return text
	case "/s":
		return text + unit
	}
	return text + " " + unit
}

type rowJSON struct {
	Name   string               `json:"name"`
	Unit   string               `json:"unit"`
	Better string               `json:"better"` // less or more
	Rounds map[string][]float64 `json:"rounds"` // by peer
	Median map[string]float64   `json:"median"` // by peer
	Ratio  map[string]float64   `json:"ratio"`  // toolgraph over the peer
}

type countJSON struct {
	Workload string         `json:"workload"`
	Peer     string         `json:"peer"`
	Right    int            `json:"right"`
	Faults   map[string]int `json:"faults,omitempty"`
}

// writeJSON writes everything to a file.
func (t *table) writeJSON(path string) error {
	out := struct {
		Machine machine.Machine `json:"machine"`
		Rows    []rowJSON       `json:"rows"`
		Answers []countJSON     `json:"answers"`
		Goals   []goal          `json:"goals"`
	}{Machine: t.machine, Goals: t.goals()}
	for _, r := range t.rows {
		entry := rowJSON{
			Name: r.name, Unit: r.unit, Better: "less", Rounds: t.numbers[r.name],
			Median: map[string]float64{}, Ratio: map[string]float64{},
		}
		if r.higher {
			entry.Better = "more"
		}
		for _, peer := range t.peers {
			if v := t.median(r.name, peer); finite(v) {
				entry.Median[peer] = v
			}
			if v := t.ratio(r.name, peer); peer != ours && finite(v) {
				entry.Ratio[peer] = v
			}
		}
		out.Rows = append(out.Rows, entry)
	}
	for _, title := range t.titles {
		for _, peer := range t.peers {
			if counts := t.counts[title][peer]; counts != nil {
				out.Answers = append(out.Answers, countJSON{title, peer, counts.right, counts.faults})
			}
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
