package main

import (
	"fmt"
	"io"
)

// goal is a limit that the project sets itself, and whether this run is within it.
type goal struct {
	Name    string  `json:"name"`
	Found   float64 `json:"found"`
	Limit   float64 `json:"limit"` // at most
	Reached bool    `json:"kept"`
}

// level is the ratio to mcpgraph up to which a row counts as equal.
const level = 1.05

const (
	// recorded is the part of the throughput that is left while runs are recorded.
	recorded = 0.85
	// ofBare is the part of the throughput of the bare server that is left without recording.
	ofBare = 0.95
)

// goals are the goals that the measured rows decide.
func (t *table) goals() []goal {
	var out []goal
	promise := func(name string, found, limit float64) {
		if finite(found) { // otherwise it was not measured
			out = append(out, goal{name, found, limit, found <= limit})
		}
	}
	promise("a step of 4000 against one of 400", t.between("loop of 4000 steps, per step", "loop of 400 steps, per step"), 1.3)
	promise("entry→exit, p50, against "+bare, t.ratio("entry→exit, p50", bare), 1.3)
	promise("ten mcp calls, p50, against "+straight, t.ratio("ten mcp calls, p50", straight), 1.15)
	promise(startup+", ms", t.median(startup, ours), 20)
	promise(startup+", against "+bare, t.ratio(startup, bare), 1.35)
	promise(binarySize+", MB", t.median(binarySize, ours), 40)
	promise("loop of 4000 steps, per step, µs", t.median("loop of 4000 steps, per step", ours), 2)
	const underLoad = "memory under entry→exit, 512 in flight, process"
	promise("memory under load, MB", t.median(underLoad, ours), 36)
	promise("memory under load without recording, MB", t.median(underLoad, unrecorded), 28)
	promise("10 MB result filtered, p50, against "+mcpgraph, t.ratio("10 MB result filtered, p50", mcpgraph), 0.10)
	promise("memory under 10 MB result filtered, MB", t.median("memory under 10 MB result filtered, process", ours), 60)
	for _, name := range []string{"entry→exit", "one mcp call", "ten mcp calls"} {
		throughput := name + ", 64 in flight, right answers"
		promise(name+", 64 in flight, without recording against with it", t.of(throughput, unrecorded, ours), 1/recorded)
	}
	for _, crowd := range []string{"64", "512"} {
		throughput := "entry→exit, " + crowd + " in flight, right answers"
		promise("entry→exit, "+crowd+" in flight, "+bare+" against it without recording", t.of(throughput, bare, unrecorded), 1/ofBare)
		promise("entry→exit, "+crowd+" in flight, "+bare+" against it", t.of(throughput, bare, ours), 1/recorded)
	}
	for _, r := range t.rows {
		found := t.ratio(r.name, mcpgraph)
		if r.higher {
			found = 1 / found
		}
		limit := 1.0
		if r.name == "entry→exit, p50" || r.name == "entry→exit, p95" || r.name == "entry→exit, right answers" {
			limit = level
		}
		promise(r.name+", against "+mcpgraph, found, limit)
	}
	return out
}

// judge writes the goals that this run misses.
func (t *table) judge(w io.Writer) {
	goals := t.goals()
	missed := 0
	fmt.Fprint(w, "\nGoals that this run misses:\n\n")
	for _, g := range goals {
		if !g.Reached {
			missed++
			fmt.Fprintf(w, "- %s: %s, the limit is %s\n", g.Name, number(g.Found, ""), number(g.Limit, ""))
		}
	}
	if missed == 0 {
		fmt.Fprintf(w, "- none of %d\n", len(goals))
	}
}
