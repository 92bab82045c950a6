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
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Believed: true,
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

// readHinted returns a graph file of testdata, and the tools that it calls.
func readHinted(t *testing.T, dir string) (src string, up hintedUpstreams) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + dir + "/graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := os.ReadFile("testdata/" + dir + "/upstreams.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(schemas, &up); err != nil {
		t.Fatal(err)
	}
	return string(raw), up
}

// Files that together use all of the language have no finding.
func TestHintedFiles(t *testing.T) {
	for _, dir := range []string{"travel", "tidy"} {
		src, up := readHinted(t, dir)
		if found := checkFile(t, src, up); len(found) > 0 {
			t.Errorf("found\n%v", found)
		}
	}
}

// Each edit of a file that is wrong is found on its line, and nothing else is.
func testFaults(t *testing.T, dir string, faults []fault) {
	src, up := readHinted(t, dir)
	for _, f := range faults {
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

func TestTravelFaults(t *testing.T) { testFaults(t, "travel", travelFaults) }
func TestTidyFaults(t *testing.T)   { testFaults(t, "tidy", tidyFaults) }

// doubted are tools whose annotations are not believed.
type doubted struct{ hintedUpstreams }

func (u doubted) Tool(server, tool string) (flow.Tool, bool) {
	t, known := u.hintedUpstreams.Tool(server, tool)
	t.Believed = false
	return t, known
}

// What a server says of its tools permits nothing while neither a lock nor trust makes it count.
func TestDoubtedHints(t *testing.T) {
	src, up := readHinted(t, "tidy")
	var got []string
	for _, d := range checkFile(t, src, doubted{up}) {
		got = append(got, fmt.Sprintf("%d %s", d.Pos.Line, d.Code))
	}
	if want := []string{"25 unknown-effect", "74 unknown-effect", "75 unknown-effect"}; !slices.Equal(got, want) {
		t.Errorf("found %q, expected %q", got, want)
	}
	src, up = readHinted(t, "travel")
	src = strings.Replace(src, "tool: fetch\n", "tool: fetch\n        retry: {}\n", 1)
	for _, believed := range []bool{true, false} {
		known := flow.Upstreams(up)
		if !believed {
			known = doubted{up}
		}
		warned := strings.Contains(checkFile(t, src, known).Error(), "retry-without-effect")
		if warned == believed {
			t.Errorf("believed: %t, warned: %t", believed, warned)
		}
	}
}
