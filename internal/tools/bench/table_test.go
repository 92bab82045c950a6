package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/tools/bench/machine"
)

func filledTable() *table {
	t := newTable(machine.Machine{CPU: "a processor", Cores: 2}, []*peer{{name: ours}, {name: mcpgraph}, {name: bare}})
	rate := row{name: "rate", unit: "/s", higher: true}
	for i, v := range []float64{10, 20, 90} {
		t.add(row{name: "time", unit: "ms"}, ours, v)
		t.add(row{name: "time", unit: "ms"}, mcpgraph, 2*v)
		t.add(rate, ours, 1000)
		t.add(rate, bare, float64(500*(i+1)))
	}
	t.count("rate", ours, tally{right: 3})
	t.count("rate", bare, tally{right: 1, faults: map[string]int{"late": 2}})
	return t
}

func TestTableShowsMediansAndRatios(t *testing.T) {
	var out bytes.Buffer
	table := filledTable()
	table.markdown(&out)
	table.judge(&out)
	for _, want := range []string{
		"On a processor, 2 cores", "| time | less | 20.0 ms | 40.0 ms | – | 0.500 | – |",
		"| rate | more | 1000/s | – | 1000/s | – | 1.00 |", "- rate, mcp-go echo: 2 of 3\n  - 2 × late", "- none of 1\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
	if table.wrong() != 0 {
		t.Error("a peer's faults were counted as ours")
	}
}

func TestTableAsJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	if err := filledTable().writeJSON(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rows    []rowJSON   `json:"rows"`
		Answers []countJSON `json:"answers"`
		Goals   []goal      `json:"goals"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 2 || got.Rows[0].Ratio[mcpgraph] != 0.5 || len(got.Answers) != 2 || len(got.Goals) != 1 {
		t.Errorf("the file says %s", text)
	}
}

func TestGoalsThatAreMissed(t *testing.T) {
	table := newTable(machine.Machine{}, []*peer{{name: ours}, {name: mcpgraph}})
	table.add(row{name: "loop of 400 steps, per step", unit: "µs"}, ours, 1)
	table.add(row{name: "loop of 4000 steps, per step", unit: "µs"}, ours, 2)
	var out bytes.Buffer
	table.judge(&out)
	if !strings.Contains(out.String(), "- a step of 4000 against one of 400: 2.00, the limit is 1.30") {
		t.Errorf("got %s", &out)
	}
}

func TestMemoryOfOurselves(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	m := memoryOf(os.Getpid())
	if m.now <= 0 || m.peak < m.now || m.tree < m.now*0.9 {
		t.Errorf("got %+v", m)
	}
}
