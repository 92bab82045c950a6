package flow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// upstreams are tools by server and name, as testdata/upstreams.json has them.
type upstreams map[string]map[string]struct{ InputSchema, OutputSchema json.RawMessage }

func (u upstreams) Tool(server, tool string) (flow.Tool, bool) {
	t, known := u[server][tool]
	return flow.Tool{InputSchema: t.InputSchema, OutputSchema: t.OutputSchema}, known
}

func readUpstreams(t *testing.T) upstreams {
	t.Helper()
	raw, err := os.ReadFile("testdata/upstreams.json")
	if err != nil {
		t.Fatal(err)
	}
	var u upstreams
	if err := json.Unmarshal(raw, &u); err != nil {
		t.Fatal(err)
	}
	return u
}

// build is the graphs of a file, which must load.
func build(t *testing.T, path string, src []byte) []*graph.Graph {
	t.Helper()
	file, err := config.Parse(path, src, config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return graphs
}

// tryBuild is build for a source that may have mistakes.
func tryBuild(t *testing.T, src []byte) ([]*graph.Graph, bool) {
	file, err := config.Parse("g.yaml", src, config.Options{AssumeEnv: true})
	if err != nil {
		return nil, false
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	return graphs, found.Err() == nil
}

// mark is a code in the text of a broken file.
var mark = regexp.MustCompile(`«([a-z-]+)»`)

// unmark removes the marks from a source; each is directly before its place
// in the file.
func unmark(src string) (clean string, seeded []string) {
	for {
		at := mark.FindStringSubmatchIndex(src)
		if at == nil {
			return src, seeded
		}
		before := src[:at[0]]
		line := strings.Count(before, "\n") + 1
		column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		seeded = append(seeded, fmt.Sprintf("%d:%d %s", line, column, src[at[2]:at[3]]))
		src = before + src[at[1]:]
	}
}

func check(t *testing.T, path string, src []byte, up flow.Upstreams) (found config.Diagnostics) {
	t.Helper()
	for _, g := range build(t, path, src) {
		found = append(found, checkGraph(t, g, up)...)
	}
	return found
}

func checkGraph(t *testing.T, g *graph.Graph, up flow.Upstreams) config.Diagnostics {
	t.Helper()
	found, err := flow.Check(t.Context(), g, up)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every seeded fault is found, at its very place and by its code, and nothing else is.
func TestBroken(t *testing.T) {
	up := readUpstreams(t)
	files, err := filepath.Glob("testdata/broken/*.yaml")
	if err != nil || len(files) < 64 {
		t.Fatalf("found %d files, expected at least 64: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, seeded := unmark(string(raw))
			if len(seeded) == 0 {
				t.Fatal("the file marks no fault")
			}
			var got []string
			found := check(t, path, []byte(src), up)
			for _, d := range found {
				got = append(got, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Column, d.Code))
			}
			if !slices.Equal(got, seeded) {
				t.Errorf("expected %q, found\n%v", seeded, found)
			}
		})
	}
}

// Graphs that are right, though they may not look so, have no findings.
func TestGood(t *testing.T) {
	up := readUpstreams(t)
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d files, expected at least 30: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if found := check(t, path, src, up); len(found) > 0 {
				t.Errorf("found\n%v", found)
			}
		})
	}
}
