package habits

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// recorder records requests of clients as runs of a gateway.
type recorder struct {
	t       *testing.T
	project *project.Project
	store   *journal.Store
	lines   map[string]int // the line of each run
	clients []string       // nil: all
}

// record records the requests of a file, one JSON object on each line: those of some clients, or of all.
func record(t *testing.T, path string, clients []string) *recorder {
	t.Helper()
	r := &recorder{t: t, lines: map[string]int{}, clients: clients}
	servers := map[string]bool{}
	eachLine(t, path, func(_ int, request value.Value) {
		servers[text(request, "server")] = true
		for _, a := range list(request, "answers") {
			servers[text(a, "server")] = true
		}
	})
	delete(servers, "")
	var file strings.Builder
	file.WriteString("server: {name: work, version: 1.0.0}\nplan: {confirm: []}\nmcpServers:\n")
	var expose []string
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		fmt.Fprintf(&file, "  %s: {command: none, trusted: true}\n", name)
		expose = append(expose, fmt.Sprintf("%q", name+".*"))
	}
	fmt.Fprintf(&file, "expose: [%s]\n", strings.Join(expose, ", "))
	graph := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(graph, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.project, err = project.Load(t.Context(), graph, config.Options{}); err != nil {
		t.Fatal(err)
	}
	if r.store, err = sqlite.Open(t.TempDir(), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.store.Close() })
	eachLine(t, path, r.run)
	return r
}

// run makes one request, which is answered as the line has it.
func (r *recorder) run(number int, request value.Value) {
	r.t.Helper()
	if r.clients != nil && !slices.Contains(r.clients, text(request, "subject")) {
		return
	}
	tool, args := text(request, "server")+"__"+text(request, "tool"), member(request, "args")
	answers := &answers{all: []value.Value{request}}
	if text(request, "kind") == "plan" {
		tool, args = config.RunPlan, value.NewObject([]string{"steps", "return"}, []value.Value{member(request, "steps"), member(request, "return")})
		answers.all = list(request, "answers")
	}
	g, err := r.project.Recorded(r.t.Context(), tool, args)
	if err != nil {
		r.t.Fatalf("line %d: %v", number, err)
	}
	at, err := time.Parse(time.RFC3339Nano, text(request, "time"))
	if err != nil {
		r.t.Fatal(err)
	}
	id := fmt.Sprintf("RUN%023d", number)
	r.lines[id] = number
	about := journal.About{File: r.project.File.Path, Server: "work"}
	_, err = execution.New(answers, execution.WithJournal(r.store.Journal(nil, about)), execution.WithClock(func() time.Time { return at }),
		execution.WithRunID(id), execution.WithSubject(text(request, "subject")), execution.WithSequentialParts()).Run(r.t.Context(), g, args)
	failed := func(of value.Value) bool { return text(of, "error") != "" }
	if (err != nil) != (failed(request) || slices.ContainsFunc(list(request, "answers"), failed)) {
		r.t.Fatalf("line %d: %v", number, err)
	}
}

// answers are those to the calls of a request.
type answers struct {
	mu  sync.Mutex // guards all
	all []value.Value
}

func (a *answers) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, known := range a.all {
		if text(known, "server") == c.Server && text(known, "tool") == c.Tool && value.Same(member(known, "args"), c.Args) {
			a.all = slices.Delete(slices.Clone(a.all), i, i+1)
			if failed := text(known, "error"); failed != "" {
				return nil, errors.New(failed)
			}
			return member(known, "result"), nil
		}
	}
	raw, _ := value.Encode(c.Args)
	return nil, fmt.Errorf("the line has no such call of %s.%s: %s", c.Server, c.Tool, raw)
}

func eachLine(t *testing.T, path string, found func(number int, request value.Value)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 16<<20)
	for number := 1; lines.Scan(); number++ {
		request, err := value.Decode(lines.Bytes())
		if err != nil {
			t.Fatalf("line %d: %v", number, err)
		}
		found(number, request)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
}

func member(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		found, _ := object.Get(key)
		return found
	}
	return nil
}

func text(v value.Value, key string) string {
	found, _ := member(v, key).(string)
	return found
}

func list(v value.Value, key string) []value.Value {
	found, _ := member(v, key).([]any)
	return found
}
