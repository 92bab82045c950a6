package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/internal/tools/bench/machine"
)

// fixed is an engine that always gives one value and takes 2 ms for it.
type fixed string

func (f fixed) value(context.Context, subject, *input) ([]byte, error) { return []byte(f), nil }
func (f fixed) measure(context.Context, subject, *input, time.Duration) (float64, error) {
	return 2e6, nil
}

func TestMeasureWithoutNode(t *testing.T) {
	all := inputs()[:1]
	mine, err := newOwn(all)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := measure(t.Context(), plan{rounds: 2, span: time.Microsecond, only: regexp.MustCompile("")}, mine, nil, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(subjects) {
		t.Fatalf("%d of %d subjects were measured", len(lines), len(subjects))
	}
	for _, l := range lines {
		if len(l.Own) != 2 || len(l.Node) != 0 || l.Own[0] <= 0 {
			t.Errorf("got %+v", l)
		}
	}
	var out bytes.Buffer
	markdown(&out, machine.Machine{}, all, lines)
	if !strings.Contains(out.String(), "| path | small |") || !strings.Contains(out.String(), "- JSON Logic == over the small context") {
		t.Errorf("got %s", &out)
	}
}

func TestMeasureHoldsTheEnginesToOneValue(t *testing.T) {
	all := inputs()[:1]
	mine, err := newOwn(all)
	if err != nil {
		t.Fatal(err)
	}
	p := plan{rounds: 1, span: time.Microsecond, only: regexp.MustCompile("^path, small$")}
	if _, err := measure(t.Context(), p, mine, fixed("4"), all); err == nil || !strings.Contains(err.Error(), "the value is 3, on node 4") {
		t.Errorf("got %v", err)
	}
	lines, err := measure(t.Context(), p, mine, fixed("3"), all)
	if err != nil {
		t.Fatal(err)
	}
	if r := lines[0].ratio(); r <= 0 || r > 1 {
		t.Errorf("the ratio is %v", r)
	}
	path := filepath.Join(t.TempDir(), "out.json")
	if err := writeJSON(path, machine.Machine{}, lines); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte(`"subject": "path"`)) {
		t.Errorf("%v: %s", err, text)
	}
}
