package graphtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/files"
)

// Cassette is the recorded calls of cases, as its file has them.
type Cassette struct {
	Version int           `json:"version"`
	Runs    []RecordedRun `json:"runs"`
}

// RecordedRun is one run of a case.
type RecordedRun struct {
	Test  string         `json:"test,omitempty"` // the name of the case; "" is for every case
	Tool  string         `json:"graphTool,omitempty"`
	Calls []Recorded     `json:"calls"` // in the order of their addresses
	Steps []RecordedStep `json:"steps,omitempty"`
}

// Recorded is one attempt of a call with its result, Nothing (a result without a value) or Error.
type Recorded struct {
	At      execution.Address `json:"at,omitempty"` // of a part, or in a frame
	Node    string            `json:"node,omitempty"`
	Attempt int               `json:"attempt,omitempty"` // from 2 on
	Server  string            `json:"server"`
	Tool    string            `json:"tool"`
	Args    value.JSON        `json:"args"`
	Result  value.JSON        `json:"result,omitzero"`
	Nothing bool              `json:"nothing,omitempty"`
	Error   *toolError        `json:"error,omitempty"`
}

// Fail makes the attempt one that has failed.
func (r *Recorded) Fail(err error) { r.Error = toolErrorOf(err) }

// RecordedStep is one execution of a node, or a part of one.
type RecordedStep struct {
	At      execution.Address `json:"at,omitempty"` // of a part, or in a frame
	Node    string            `json:"node"`
	Output  value.JSON        `json:"output,omitzero"`   // of transforms, when it is not large
	Nothing bool              `json:"nothing,omitempty"` // of transforms: the node yielded nothing
}

const (
	cassetteVersion = 1
	maxCassette     = 256 << 20 // bytes
)

// recordAgain is the remedy for a cassette that cannot be read. Only the user removes one:
// it may have recordings that cannot be made again on this machine.
const recordAgain = "repair it, or remove it and run toolgraph test --record"

// LoadCassette returns the calls of a cassette, those of its first run first. The error
// names the place where the file is broken, or is that of opening it.
func LoadCassette(path string) ([]Recorded, error) {
	c, err := readCassette(path)
	if err != nil {
		return nil, err
	}
	var all []Recorded
	for _, run := range c.Runs {
		all = append(all, run.Calls...)
	}
	return all, nil
}

func readCassette(path string) (*Cassette, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxCassette+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxCassette {
		return nil, fmt.Errorf("%s: the cassette is larger than 256 MiB; split the tests into several files", path)
	}
	return parseCassette(path, src)
}

func parseCassette(path string, src []byte) (*Cassette, error) {
	c := &Cassette{}
	if err := json.Unmarshal(src, c); err != nil {
		return nil, fmt.Errorf("%s is not a cassette: %w; "+recordAgain, brokenAt(path, src, err), err)
	}
	if c.Version != cassetteVersion {
		return nil, fmt.Errorf("%s: the cassette has version %d, expected %d; "+recordAgain, path, c.Version, cassetteVersion)
	}
	for i := range c.Runs {
		run := &c.Runs[i]
		if run.Calls == nil {
			run.Calls = []Recorded{} // so that it is written as a list
		}
		for j := range run.Calls {
			if err := run.Calls[j].check(); err != nil {
				return nil, fmt.Errorf("%s: call %d of run %d: %w; "+recordAgain, path, j+1, i+1, err)
			}
		}
	}
	return c, nil
}

// brokenAt returns the place where a JSON text is broken, as far as it is known.
func brokenAt(path string, src []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return path
	}
	before := src[:min(max(offset-1, 0), int64(len(src)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}

func (r *Recorded) check() error {
	if r.Server == "" || r.Tool == "" {
		return errors.New("server or tool is missing")
	}
	given := 0
	for _, is := range []bool{r.Result.Value != nil, r.Nothing, r.Error != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return fmt.Errorf("it has %d of result, nothing and error, expected exactly one", given)
	}
	return nil
}

// NewCassette returns a cassette of these runs.
func NewCassette(runs ...RecordedRun) *Cassette {
	return &Cassette{Version: cassetteVersion, Runs: append([]RecordedRun{}, runs...)}
}

// Encode returns the cassette as its file has it: the same bytes for the same calls.
func (c *Cassette) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(c)
	return b.Bytes(), err
}

// tape plays the recorded calls of one case. It belongs to one run. Nil has no calls.
type tape struct {
	calls  []Recorded
	unused map[string][]int // the calls that were not played yet, by their keys, in order
	places places           // that are {name} in the keys
	steps  []RecordedStep
}

// tape returns the calls for a case, or nil. A path of these places is the same as its
// {name}, in the cassette and in the run.
func (c *Cassette) tape(test string, in places) *tape {
	if c == nil {
		return nil
	}
	t := &tape{places: in, unused: map[string][]int{}}
	runs := 0
	for _, run := range c.Runs {
		if run.Test != "" && run.Test != test {
			continue
		}
		runs++
		for _, call := range run.Calls {
			key := t.key(call.Server, call.Tool, call.Args.Value)
			t.unused[key] = append(t.unused[key], len(t.calls))
			t.calls = append(t.calls, call)
		}
		if run.Test == test {
			t.steps = run.Steps
		}
	}
	if runs == 0 {
		return nil
	}
	return t
}

// next returns the first recorded call with these arguments that was not played yet, or
// nil. One of the same place goes first: equal calls of several parts keep their own answers.
func (t *tape) next(c execution.Call) *Recorded {
	if t == nil {
		return nil
	}
	key := t.key(c.Server, c.Tool, c.Args)
	left := t.unused[key]
	if len(left) == 0 {
		return nil
	}
	at := max(0, slices.IndexFunc(left, func(i int) bool { return t.calls[i].At == whereOf(&c) && t.calls[i].Attempt == c.Attempt }))
	i := left[at]
	t.unused[key] = slices.Delete(left, at, at+1)
	return &t.calls[i]
}

// whereOf returns the address of a call of a part or in a frame, and "" for the others: that
// which a cassette has.
func whereOf(c *execution.Call) execution.Address {
	if c.Frame == "" && c.Part == "" {
		return ""
	}
	return c.At()
}

// near returns how many calls with these arguments were recorded; without any, how many
// calls of the tool, and the one whose arguments differ least.
func (t *tape) near(c execution.Call) (n int, nearest *Recorded) {
	if t == nil {
		return 0, nil
	}
	key, same, least := t.key(c.Server, c.Tool, c.Args), 0, 0
	for i := range t.calls {
		call := &t.calls[i]
		if call.Server != c.Server || call.Tool != c.Tool {
			continue
		}
		n++
		if t.key(call.Server, call.Tool, call.Args.Value) == key {
			same++
		}
		if changes := len(diff.Values(t.places.empty(call.Args.Value), t.places.empty(c.Args))); nearest == nil || changes < least {
			nearest, least = call, changes
		}
	}
	if same > 0 {
		return same, nil
	}
	return n, nearest
}

// key is the same for the same call, in whatever order its arguments are written.
func (t *tape) key(server, tool string, args value.Value) string {
	src, err := value.Encode(value.FromPlain(value.Plain(t.places.empty(args))))
	if err != nil {
		src = []byte(err.Error())
	}
	return server + "\x00" + tool + "\x00" + string(src)
}

// record writes the answers of servers into the cassettes of the cases. Earlier runs of cases
// that did not run, or got no answer, stay; those of cases that no longer exist are removed.
func (r *runner) record(results []*Result) (written []string, err error) {
	fresh := map[string]map[string]*RecordedRun{} // by cassette and case
	for _, result := range results {
		if result.graph == nil || !result.recordable() {
			continue
		}
		path := r.cassetteOf(result.Case)
		if fresh[path] == nil {
			fresh[path] = map[string]*RecordedRun{}
		}
		fresh[path][result.Case.Name] = recordedRun(result)
	}
	for _, path := range slices.Sorted(maps.Keys(fresh)) {
		wrote, err := r.write(path, fresh[path])
		if err != nil {
			return written, err
		}
		if wrote {
			written = append(written, path)
		}
	}
	return written, nil
}

// write writes a cassette: the runs in the order of the cases, then those of others. An empty
// cassette is only written when there is an older one.
func (r *runner) write(path string, fresh map[string]*RecordedRun) (bool, error) {
	earlier := map[string]RecordedRun{}
	var others []RecordedRun // for every case, or those of another file that shares the cassette
	old := r.cassettes[path]
	if old != nil {
		for _, run := range old.Runs {
			earlier[run.Test] = run
			known := slices.ContainsFunc(r.suite.Cases, func(c *Case) bool { return c.Name == run.Test })
			if run.Test == "" || !known && path != r.suite.Cassette() {
				others = append(others, run)
			}
		}
	}
	c := NewCassette()
	for _, test := range r.suite.Cases {
		run, ran := fresh[test.Name]
		before, was := earlier[test.Name]
		switch {
		case r.cassetteOf(test) != path:
		case ran && len(run.Calls) > 0:
			c.Runs = append(c.Runs, *run)
		case !ran && was:
			c.Runs = append(c.Runs, before)
		}
	}
	c.Runs = append(c.Runs, others...)
	if len(c.Runs) == 0 && old == nil {
		return false, nil
	}
	src, err := c.Encode()
	if err != nil {
		return false, err
	}
	links := files.LinksInside
	if path == r.suite.Cassette() { // no test names it
		links = files.NoLinks
	}
	return true, files.Write(path, src, modeLike(r.suite.Path), links)
}

// recordedRun returns a run for a cassette: the answers of servers, and the steps.
func recordedRun(result *Result) *RecordedRun {
	run := &RecordedRun{Test: result.Case.Name, Tool: result.Case.Tool.Value, Calls: []Recorded{}, Steps: stepsOf(result.Records)}
	readsFailures := slices.ContainsFunc(result.graph.Reached(), handlesFailures)
	for _, call := range result.Calls {
		if call.Source != FromServer {
			continue
		}
		recorded := Recorded{
			At: whereOf(&call.Call), Node: call.Name(), Attempt: call.Attempt,
			Server: call.Server, Tool: call.Tool, Args: value.JSON{Value: call.Args},
		}
		if call.Err != nil {
			recorded.Error = toolErrorOf(call.Err)
			if !readsFailures {
				recorded.Error.Result.Value = nil
			}
		} else {
			recorded.Result.Value, recorded.Nothing = call.Result, call.Result == nil
		}
		run.Calls = append(run.Calls, recorded)
	}
	return run
}

// handlesFailures reports whether a node of the graph can read the result of a failed call.
func handlesFailures(g *graph.Graph) bool {
	return slices.ContainsFunc(g.CallNodes(), func(n graph.Node) bool {
		m, isCall := n.(*graph.MCP)
		return graph.OnErrorOf(n) != nil || isCall && m.Retry != nil
	})
}

// answers are the error codes of answers. With any other code there was no answer: the server
// did not start, or ended.
var answers = []string{"tool-error", "rpc-error", "unknown-tool", "invalid-arguments"}

// recordable reports whether a run can be played again: every call was answered, if not at its
// first attempt, and every question, or its case passed all the same.
func (r *Result) recordable() bool {
	if r.Status != Failed {
		return r.Status == Passed
	}
	if r.isUnanswered() {
		return false
	}
	for i, c := range r.Calls {
		isLast := i+1 == len(r.Calls) || r.Calls[i+1].At() != c.At()
		if isLast && c.Err != nil && !slices.Contains(answers, codeOf(c.Err)) {
			return false
		}
	}
	return true
}

// modeLike returns the mode for a new file beside another.
func modeLike(other string) fs.FileMode {
	if info, err := os.Stat(other); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
