package flow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// hintedUpstreams are tools with their annotations.
type hintedUpstreams map[string]map[string]struct {
	InputSchema, OutputSchema json.RawMessage
	Annotations               struct{ ReadOnlyHint, DestructiveHint, IdempotentHint *bool }
}

func (u hintedUpstreams) Tool(server, tool string) (flow.Tool, bool) {
	t, known := u[server][tool]
	return flow.Tool{
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		ReadOnly: t.Annotations.ReadOnlyHint, Destructive: t.Annotations.DestructiveHint, Idempotent: t.Annotations.IdempotentHint,
	}, known
}

// checkFile is what check reports of a file: the findings of each step, up to the first that
// prevents the next.
func checkFile(t *testing.T, src string, up flow.Upstreams) config.Diagnostics {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(src), config.Options{AssumeEnv: true})
	var found config.Diagnostics
	if errors.As(err, &found) || file == nil {
		return found
	}
	found = slices.Clone(file.Warnings)
	graphs, more, err := graph.Build(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	found = append(found, more...)
	if found.Err() != nil {
		return found
	}
	more, err = flow.CheckAll(t.Context(), graphs, up)
	if err != nil {
		t.Fatal(err)
	}
	found = append(found, more...)
	found.Sort()
	return found
}

func readTravel(t *testing.T) (src string, up hintedUpstreams) {
	t.Helper()
	raw, err := os.ReadFile("testdata/travel/graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := os.ReadFile("testdata/travel/upstreams.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(schemas, &up); err != nil {
		t.Fatal(err)
	}
	return string(raw), up
}

// A file that uses all of the language has no finding.
func TestTravel(t *testing.T) {
	src, up := readTravel(t)
	if found := checkFile(t, src, up); len(found) > 0 {
		t.Errorf("found\n%v", found)
	}
}

// Each edit of it that is wrong is found on its line, and nothing else is.
func TestTravelFaults(t *testing.T) {
	src, up := readTravel(t)
	for _, f := range travelFaults {
		t.Run(f.name, func(t *testing.T) {
			edited, seeded := unmark(f.edit(t, src))
			var want, got []string
			for _, place := range seeded {
				at, code, _ := strings.Cut(place, " ")
				line, _, _ := strings.Cut(at, ":")
				want = append(want, line+" "+code)
			}
			found := checkFile(t, edited, up)
			for _, d := range found {
				got = append(got, fmt.Sprintf("%d %s", d.Pos.Line, d.Code))
			}
			if !slices.Equal(got, want) {
				t.Errorf("expected %q, found\n%v", want, found)
			}
		})
	}
}
