package drift

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) { os.Exit(testbin.Run(m)) }

// seeded is a change of the server: patches of answers and definitions, and whole results.
type seeded struct {
	Name    string
	Answers map[string]map[string]any
	Results map[string]json.RawMessage
	Tools   map[string]any

	Node, Field, What, Lock string
	Uncalled                string // a tool that must not be called
}

// world is a directory with a graph file, its server and its runs.
type world struct {
	*testing.T
	dir string
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t, t.TempDir()}
	w.write("graph.yaml", []byte(strings.NewReplacer("$COMMAND", testbin.Build(t, "toolgraph/tests/fakeserver"), "$DIR", w.dir).Replace(string(read(t, "graph.yaml")))))
	w.change(&seeded{})
	return w
}

func (w *world) write(name string, src []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), src, 0o600); err != nil {
		w.Fatal(err)
	}
}

// recorded makes the run, and locks the tools.
func recorded(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.run(0, "lock", "graph.yaml")
	w.run(0, "run", "graph.yaml", "report", "q=pages")
	return w
}

// run runs the program, which must exit with a code, and returns what it prints.
func (w *world) run(code int, args ...string) string {
	w.Helper()
	cmd := exec.Command(testbin.Build(w.T, "toolgraph"), args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = w.dir, &stderr, append(os.Environ(), "TOOLGRAPH_STATE="+filepath.Join(w.dir, "state"))
	out, _ := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.Fatalf("%v: exit code %d, expected %d\n%s%s", args, got, code, out, &stderr)
	}
	return string(out) + stderr.String()
}

// change writes what the server answers and lists.
func (w *world) change(s *seeded) {
	w.Helper()
	var answers map[string]map[string]any
	var tools map[string]any
	if err := json.Unmarshal(read(w.T, "answers.json"), &answers); err != nil {
		w.Fatal(err)
	}
	if err := json.Unmarshal(read(w.T, "tools.json"), &tools); err != nil {
		w.Fatal(err)
	}
	results := map[string]any{}
	for name, answer := range answers {
		for key, v := range s.Answers[name] {
			answer[key] = variant(v, answer["items"])
		}
		src, _ := json.Marshal(answer)
		results[name] = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(src)}}}
		if s.Results[name] != nil {
			results[name] = s.Results[name]
		}
	}
	patch(tools, s.Tools, false)
	src, _ := json.Marshal(results)
	w.write("answers.json", src)
	src, _ = json.Marshal(tools)
	w.write("tools.json", src)
}

// variant returns the value of a patch: $NAME stands for a form of the items.
func variant(v, items any) any {
	list, _ := items.([]any)
	switch v {
	case "$REVERSED":
		list = slices.Clone(list)
		slices.Reverse(list)
		return list
	case "$FIRST":
		return list[:1]
	case "$LOUD":
		for _, item := range list {
			item.(map[string]any)["state"] = strings.ToUpper(item.(map[string]any)["state"].(string))
		}
		return list
	}
	return v
}

// patch sets what a patch has; null removes, but a tool, which the server then does not list.
func patch(of, with map[string]any, deep bool) {
	for key, v := range with {
		inner, isObject := v.(map[string]any)
		old, was := of[key].(map[string]any)
		switch {
		case isObject && was:
			patch(old, inner, true)
		case v == nil && deep:
			delete(of, key)
		default:
			of[key] = v
		}
	}
}

func seededIn(t *testing.T, name string) (all []seeded) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(read(t, name)))
	for lines.Scan() {
		var s seeded
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		if d.DisallowUnknownFields(); d.Decode(&s) != nil {
			t.Fatalf("%s: not a change: %s", name, lines.Text())
		}
		all = append(all, s)
	}
	if len(all) < 20 {
		t.Fatalf("%s has %d changes, expected at least 20", name, len(all))
	}
	return all
}

type finding struct {
	Tool, Node, Calls, Field, What, Effect, Step string
	Lock                                         []string
	Pos                                          struct{ Line int }
}

type report struct {
	Drift, Notes []finding
	Calls        int
}

// drift runs drift --json.
func (w *world) drift(code int, more ...string) report {
	w.Helper()
	var r report
	out := w.run(code, append([]string{"drift", "graph.yaml", "--json"}, more...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		w.Fatalf("%v\n%s", err, out)
	}
	return r
}

// called returns how often the server was called by tool since the diary was emptied.
func (w *world) called() map[string]int {
	w.Helper()
	src, _ := os.ReadFile(filepath.Join(w.dir, "diary")) // there is none without a call
	counts := map[string]int{}
	for line := range strings.Lines(string(src)) {
		if words := strings.Fields(line); words[0] == "called" {
			counts[words[1]]++
		}
	}
	return counts
}

func (w *world) forget() { w.write("diary", nil) }

// Each seeded change is named with its step and field, and no call that writes is made.
func TestChangesAreNamed(t *testing.T) {
	w := recorded(t)
	for _, s := range seededIn(t, "changes.jsonl") {
		t.Run(s.Name, func(t *testing.T) {
			w := &world{t, w.dir}
			w.change(&s)
			w.forget()
			r := w.drift(1)
			i := slices.IndexFunc(r.Drift, func(f finding) bool { return f.Node == s.Node && f.Field == s.Field })
			if i < 0 {
				t.Fatalf("not named; found %+v, notes %+v", r.Drift, r.Notes)
			}
			f := r.Drift[i]
			if !strings.Contains(f.What, s.What) || f.Effect == "" || f.Step == "" || f.Pos.Line == 0 || f.Tool != "report" {
				t.Errorf("expected %q in %+v", s.What, f)
			}
			if s.Lock != "" && !strings.Contains(strings.Join(f.Lock, "\n"), s.Lock) {
				t.Errorf("no difference of %q in the lock: %q", s.Lock, f.Lock)
			}
			if n := w.called(); n["create"] > 0 || n[s.Uncalled] > 0 || r.Calls != n["search"]+n["read"] {
				t.Errorf("%d calls reported, made %v", r.Calls, n)
			}
		})
	}
}

// For none of the harmless changes something is reported.
func TestHarmlessChanges(t *testing.T) {
	w := recorded(t)
	for _, s := range seededIn(t, "harmless.jsonl") {
		t.Run(s.Name, func(t *testing.T) {
			w := &world{t, w.dir}
			w.change(&s)
			w.forget()
			if r := w.drift(0); len(r.Drift) > 0 {
				t.Errorf("found %+v", r.Drift)
			}
			if n := w.called(); !maps.Equal(n, map[string]int{"search": 2, "read": n["read"]}) || n["read"] < 2 {
				t.Errorf("made %v, expected two searches because of their times, and reads", n)
			}
		})
	}
}
