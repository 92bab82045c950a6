package graphtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
)

// Status is the outcome of a case.
type Status string

// The statuses of a Result.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Result is the outcome of one case. Secrets are redacted in all of it.
type Result struct {
	Suite      *Suite
	Case       *Case
	Status     Status
	Why        string             // why it was skipped
	Problems   []Problem          // the differences from the expectation, when it failed
	Value      value.Value        // of the run; nil when it failed
	Spilled    int                // bytes of the value when it is longer than executionLimits.maxResultBytes; else 0
	Failure    string             // the error of the run; "" when it returned a value
	Code       config.FailureCode // of the failure
	Records    []execution.Record // in the order of their addresses
	Calls      []Call             // each attempt of its own, in the order of their addresses
	Divergence string             // where the run first left the expected or recorded path, when it failed and that is known
	Duration   time.Duration

	graph  *graph.Graph
	naming naming
}

// Path returns the ids of the tool's own nodes that ran, in order.
func (r *Result) Path() []string {
	own := ownSteps(r.Records)
	path := make([]string, len(own))
	for i, record := range own {
		path[i] = record.NodeID
	}
	return path
}

// ownSteps returns the records of the tool's own graph: not those of parts and in frames.
func ownSteps(records []execution.Record) []execution.Record {
	own := make([]execution.Record, 0, len(records))
	for _, r := range records {
		if r.Frame == "" && r.Part == "" {
			own = append(own, r)
		}
	}
	return own
}

// MarshalJSON writes file, graph, test, tool, line, status, why, problems, path,
// divergence, value, spilled or error, calls and durationMs.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		File: r.Suite.Path, Graph: r.Suite.Graph, Test: r.Case.Name, Tool: r.Case.Tool.Value, Line: r.Case.Pos.Line,
		Status: r.Status, Why: r.Why, Path: r.Path(), Divergence: r.Divergence,
		Value: value.JSON{Value: r.Value}, Spilled: r.Spilled, Error: r.Failure, DurationMs: float64(r.Duration.Microseconds()) / 1000,
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, problemJSON{What: p.What, Pos: p.Pos, Text: p.Text()})
	}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, callJSON{At: whereOf(&c.Call), Node: c.Name(), Attempt: c.Attempt, Server: c.Server, Tool: c.Tool, Args: value.JSON{Value: c.Args}, Source: c.Source})
	}
	return json.Marshal(out)
}

type (
	resultJSON struct {
		File       string        `json:"file"`
		Graph      string        `json:"graph"`
		Test       string        `json:"test"`
		Tool       string        `json:"tool"`
		Line       int           `json:"line"`
		Status     Status        `json:"status"`
		Why        string        `json:"why,omitempty"`
		Problems   []problemJSON `json:"problems,omitempty"`
		Path       []string      `json:"path"`
		Divergence string        `json:"divergence,omitempty"`
		Value      value.JSON    `json:"value,omitzero"`
		Spilled    int           `json:"spilled,omitempty"`
		Error      string        `json:"error,omitempty"`
		Calls      []callJSON    `json:"calls,omitempty"`
		DurationMs float64       `json:"durationMs"`
	}
	problemJSON struct {
		What string     `json:"what"`
		Pos  config.Pos `json:"pos,omitzero"`
		Text string     `json:"text"`
	}
	callJSON struct {
		At      execution.Address `json:"at,omitempty"` // of a part, or in a frame
		Node    string            `json:"node"`
		Attempt int               `json:"attempt,omitempty"` // from 2 on
		Server  string            `json:"server,omitempty"`  // none: a graph, which a mock stands for
		Tool    string            `json:"tool"`
		Args    value.JSON        `json:"args"`
		Source  Source            `json:"source"`
	}
)

var plainKey = wording.Pattern(`^[A-Za-z_][\w.-]*$`)

// quoteKey returns a key as YAML has it.
func quoteKey(key string) string {
	if plainKey().MatchString(key) {
		return key
	}
	return strconv.Quote(key)
}

// Text returns the reasons why a case failed, for people: each problem with its place, the
// path of the run, and its first divergence from the expected or recorded one.
func (r *Result) Text() string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(p.Pos.String() + ": " + p.Text() + "\n")
	}
	if len(r.Records) > 0 && !strings.Contains(b.String(), "\npath: ") { // a failure has its own
		b.WriteString("path: " + PathText(r.Path()) + "\n")
	}
	if r.Divergence != "" {
		b.WriteString("first divergence: " + r.Divergence + "\n")
	}
	return b.String()
}

// changesShown is how many differences a text lists.
const changesShown = 12

// Text returns the problem for people: the message, and a line for each difference.
func (p Problem) Text() string {
	var b strings.Builder
	b.WriteString(p.Message)
	for i, c := range p.Changes {
		if i == changesShown {
			b.WriteString("\n  and " + strconv.Itoa(len(p.Changes)-i) + " more differences")
			break
		}
		b.WriteString("\n  " + p.changeText(c))
	}
	return b.String()
}

func (p Problem) changeText(c diff.Change) string {
	where := c.Path
	if where == "" {
		where = "the value"
	}
	older, isText := c.Old.(string)
	newer, bothText := c.New.(string)
	if isText && bothText && strings.Count(older, "\n")+strings.Count(newer, "\n") > 1 {
		return where + ":\n    " + strings.ReplaceAll(strings.TrimRight(diff.Text(p.Older, older, p.Newer, newer), "\n"), "\n", "\n    ")
	}
	return where + ": " + p.Older + " " + shown(c.Old) + ", " + p.Newer + " " + shown(c.New)
}

// exactText returns a value as JSON, or why it has no JSON.
func exactText(v value.Value) string {
	src, err := value.Encode(v)
	if err != nil {
		return fmt.Sprintf("the value has no JSON: %v", err)
	}
	return string(src)
}

// longText is how many bytes of a value a message has room for.
const longText = 400

// encoded returns a value as JSON, truncated to fit into a message.
func encoded(v value.Value) string { return wording.Truncate(exactText(v), longText) }

// shown returns a value for a line of a difference.
func shown(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	return wording.Shorten(exactText(v))
}

// PathText returns a path for people; of a long one the first and the last nodes.
func PathText(path []string) string {
	const shown = 24
	if len(path) > shown {
		path = append(append(path[:shown/2:shown/2], fmt.Sprintf("… %d more …", len(path)-shown)), path[len(path)-shown/2:]...)
	}
	return strings.Join(path, " → ")
}
