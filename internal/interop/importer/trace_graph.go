package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/base/wording"
)

// TraceOptions are the choices of AgentTrace.
type TraceOptions struct {
	Tool        string // the name of the tool; default "trace"
	First, Last int    // the calls to import, from 1, those that failed included; 0: from the first, to the last
	// ServersFile says that a file with servers is given whenever the graph is used, so that the
	// graph does not name them.
	ServersFile bool
	Test        bool // also write a test that repeats the trace
}

// AgentTrace returns a graph file with a tool that makes the successful calls of a trace, in order. src is
// the transcript of a host, or objects with server, tool, args and result: a JSON array, or one on
// each line. path is the name of the trace in messages. Values whose names look secret, and keys, are not written. Each
// thing that is left to the author is a TODO in the file, and one of the warnings.
func AgentTrace(ctx context.Context, path string, src []byte, opts TraceOptions) (*File, error) {
	t, err := readTrace(path, src)
	if err != nil {
		return nil, err
	}
	calls, err := t.selected(path, opts)
	if err != nil {
		return nil, err
	}
	job := habit.Job{Said: t.said}
	for _, c := range calls {
		job.Calls = append(job.Calls, c.habit())
	}
	made, err := habit.New(ctx, []habit.Job{job})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lines := []string{fmt.Sprintf("Imported by toolgraph import agent-trace from %s: %s.", fileName(path), wording.Count(len(calls), "call"))}
	return DraftFile(path, made, DraftOptions{Tool: cmp.Or(opts.Tool, "trace"), ServersFile: opts.ServersFile, Test: opts.Test, TestName: "as in the trace", Notes: lines, After: slices.Concat(t.before, t.after)})
}

// DraftOptions are the choices of DraftFile.
type DraftOptions struct {
	Tool        string // the name of the tool
	ServersFile bool   // see TraceOptions
	Test        bool   // also write a test that does the last job again
	TestName    string
	Notes       []string // the first lines of the file's comment
	After       []string // the last lines
}

// DraftFile returns a graph file with a draft. Each thing that is left to the author is a TODO in the file, and one of
// the warnings. path is for messages.
func DraftFile(path string, made *habit.Draft, opts DraftOptions) (*File, error) {
	graph, err := config.Format(path, draftData(made, opts), made.Notes)
	if err != nil {
		return nil, fmt.Errorf("%s: the graph of these calls is too large; import fewer of them: %w", path, err)
	}
	f := &File{Graph: graph, Warnings: warningsOf(made)}
	if len(f.Graph) > config.MaxFileBytes {
		return nil, fmt.Errorf("%s: the graph would have %d bytes, expected at most %d; import fewer calls", path, len(f.Graph), config.MaxFileBytes)
	}
	if opts.Test {
		f.Test, f.Cassette, err = made.Test(len(made.Jobs)-1, opts.Tool, opts.TestName)
	}
	return f, err
}

// habit returns the call for a draft.
func (c *call) habit() *habit.Call {
	return &habit.Call{
		Server: c.server, Tool: c.tool, Args: c.args, Result: c.result, Failed: c.refusal() != "", Asked: c.asked, Answered: c.answered, Time: c.time,
	}
}

// warningsOf says what a draft leaves to its author.
func warningsOf(d *habit.Draft) (lines []string) {
	for i, err := range d.Parts {
		if err != nil {
			lines = append(lines, fmt.Sprintf("the tool does not make the calls of job %d of %d again: %s", i+1, len(d.Jobs), err))
		}
	}
	for _, t := range d.Todos {
		lines = append(lines, t.String())
	}
	return lines
}

// selected returns the calls to import: the successful ones in the range of the options.
func (t *trace) selected(path string, opts TraceOptions) ([]*call, error) {
	first, last := max(opts.First, 1), opts.Last
	if last == 0 || last > len(t.calls) {
		last = len(t.calls)
	}
	if first > last {
		return nil, fmt.Errorf("%s: there is no call %d, the trace has %s", path, first, wording.Count(len(t.calls), "call"))
	}
	var calls []*call
	for _, c := range t.calls[first-1 : last] {
		if c.refusal() == "" {
			calls = append(calls, c)
			t.before = append(t.before, c.before...)
		}
	}
	if last < len(t.calls) {
		t.after = []string{fmt.Sprintf("Calls %d to %d of the trace are not imported.", last+1, len(t.calls))}
	}
	values := 0
	for _, c := range calls {
		values += countValues(c.args)
	}
	switch {
	case len(calls) == 0:
		return nil, fmt.Errorf("%s: none of the calls %d to %d has succeeded", path, first, last)
	case len(calls) > maxCalls:
		return nil, fmt.Errorf("%s: found %d calls, expected at most %d; select some of them with --calls", path, len(calls), maxCalls)
	case values > maxValues:
		return nil, fmt.Errorf("%s: the arguments have %d values, expected at most %d; select fewer calls with --calls", path, values, maxValues)
	}
	return calls, nil
}

// maxValues is the number of values in all arguments: more do not fit into a graph file.
const maxValues = 20_000

// countValues returns the number of values in a value, itself included.
func countValues(v value.Value) int {
	n := 1
	if list, isList := v.([]any); isList {
		for _, item := range list {
			n += countValues(item)
		}
	}
	if object, isObject := value.ObjectOf(v); isObject {
		for _, key := range object.Keys() {
			member, _ := object.Get(key)
			n += countValues(member)
		}
	}
	return n
}

// draftData returns the content of the graph file of a draft.
func draftData(made *habit.Draft, opts DraftOptions) *config.Data {
	tool := made.Tool(opts.Tool, made.Description())
	made.Note(tool.Get("description"), "TODO: say what the tool does, and when to use it.")
	root := config.NewObject().Set("version", "1.0").
		Set("server", config.NewObject().Set("name", opts.Tool).Set("version", "1.0.0"))
	lines := slices.Clone(opts.Notes)
	if opts.ServersFile {
		lines = append(lines, "Its servers are in another file: toolgraph serve FILE -m SERVERS.")
	} else {
		servers := config.NewObject()
		for _, server := range made.Servers() {
			servers.Set(server, config.NewObject().Set("registry", true))
		}
		made.Note(servers, "From the registry of the project or the user: toolgraph mcp add NAME -- COMMAND.")
		root.Set("mcpServers", servers)
	}
	root.Set("tools", config.NewList(tool))
	if made.Return == nil {
		lines = append(lines, "The result is that of the last call.")
	}
	for _, left := range made.Left {
		lines = append(lines, "Not imported: "+left+".")
	}
	made.Note(root, "%s", strings.Join(append(lines, opts.After...), "\n"))
	return root
}
