package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// TraceOptions are the choices of AgentTrace.
type TraceOptions struct {
	Tool        string // the name of the graph's tool; default "trace"
	First, Last int    // the calls to import, from 1, those that failed included; 0: from the first, to the last
	// ServersFile says that a file with servers is given whenever the graph is used, so that the
	// graph does not name them.
	ServersFile bool
	Test        bool // also write a test that repeats the trace
}

// AgentTrace returns a graph file with a node for each successful call of a trace, in order. src is
// the transcript of a host, or objects with server, tool, args and result: a JSON array, or one on
// each line. A value of the arguments that was in one earlier result is read from there; one that
// was in none is an argument of the tool; one that was in several is written, with a TODO. path is
// the name of the trace in messages. Values whose names look secret are not written.
func AgentTrace(path string, src []byte, opts TraceOptions) (*File, error) {
	t, err := readTrace(path, src)
	if err != nil {
		return nil, err
	}
	calls, err := t.selected(path, opts)
	if err != nil {
		return nil, err
	}
	w := newTraceWriter(calls, cmp.Or(opts.Tool, "trace"))
	graph, err := config.Format(path, w.graph(path, t, opts), w.notes)
	if err != nil {
		return nil, fmt.Errorf("%s: the graph of these calls is too large; import fewer of them: %w", path, err)
	}
	f := &File{Graph: graph, Warnings: w.warnings}
	if len(f.Graph) > config.MaxFileBytes {
		return nil, fmt.Errorf("%s: the graph would have %d bytes, expected at most %d; import fewer calls", path, len(f.Graph), config.MaxFileBytes)
	}
	if opts.Test {
		f.Test, f.Cassette, err = w.test()
	}
	return f, err
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

// traceWriter writes the graph of calls.
type traceWriter struct {
	*origins
	calls []*call
	tool  string
}

func newTraceWriter(calls []*call, tool string) *traceWriter {
	x := newIndex(calls)
	o := &origins{
		draft: newDraft(), index: x, secrets: secretsOf(x, calls), ids: map[*call]string{},
		byValue: map[uint64]*input{}, entry: value.NewMap(), names: names{},
	}
	o.results = map[string]value.Value{"entry": o.entry}
	used := names{"entry": true, "exit": true}
	for _, c := range calls {
		id := used.unique(identifier(c.tool, "call"))
		o.ids[c], o.results[id] = id, c.result
		if c.result == nil {
			delete(o.results, id)
		}
	}
	return &traceWriter{o, calls, tool}
}

// graph returns the content of the graph file.
func (w *traceWriter) graph(path string, t *trace, opts TraceOptions) *config.Data {
	exit := config.NewObject().Set("id", "exit").Set("type", "exit")
	nodes := config.NewList()
	for i, c := range w.calls {
		next := "exit"
		if i+1 < len(w.calls) {
			next = w.ids[w.calls[i+1]]
		}
		node := config.NewObject().Set("id", w.ids[c]).Set("type", "mcp").
			Set("server", c.server).Set("tool", c.tool)
		if args := w.args(c); len(args.Items) > 0 {
			node.Set("args", args)
		}
		if len(c.before) > 0 {
			w.note(node, "%s", strings.Join(c.before, "\n"))
		}
		nodes.Items = append(nodes.Items, node.Set("next", next))
	}
	if len(t.after) > 0 {
		w.note(exit, "%s", strings.Join(t.after, "\n"))
	}
	entry := config.NewObject().Set("id", "entry").Set("type", "entry").Set("next", w.ids[w.calls[0]])
	nodes.Items = append(append([]*config.Data{entry}, nodes.Items...), exit)

	description := config.NewText(w.description())
	w.note(description, "TODO: say what the tool does, and when to use it.")
	tool := config.NewObject().Set("name", w.tool).Set("description", description).
		Set("inputSchema", w.inputSchema()).Set("nodes", nodes)
	root := config.NewObject().Set("version", "1.0").
		Set("server", config.NewObject().Set("name", w.tool).Set("version", "1.0.0"))
	if !opts.ServersFile {
		root.Set("mcpServers", w.servers())
	}
	root.Set("tools", config.NewList(tool))
	w.note(root, "Imported by toolgraph import agent-trace from %s: %s.", fileName(path), wording.Count(len(w.calls), "call"))
	if opts.ServersFile {
		w.note(root, "Its servers are in another file: toolgraph serve FILE -m SERVERS.")
	}
	w.note(root, "The result is that of the last call.")
	return root
}

// servers returns the servers of the calls, which are those of a registry: a trace does not say how
// they are started.
func (w *traceWriter) servers() *config.Data {
	servers := config.NewObject()
	for _, c := range w.calls {
		if servers.Get(c.server) == nil {
			servers.Set(c.server, config.NewObject().Set("registry", true))
		}
	}
	w.note(servers, "From the registry of the project or the user: toolgraph mcp add NAME -- COMMAND.")
	return servers
}

func (w *traceWriter) description() string {
	var tools []string
	for _, c := range w.calls {
		if name := c.String(); !slices.Contains(tools, name) {
			tools = append(tools, name)
		}
	}
	return "Calls " + wording.List(tools) + ", as in the trace of an agent."
}

// longestExample is the length, as JSON, of the values that a schema shows.
const longestExample = 500

// inputSchema returns the schema of the arguments, with the values of the trace as examples.
func (w *traceWriter) inputSchema() *config.Data {
	properties, required := config.NewObject(), config.NewList()
	for _, in := range w.inputs {
		property := config.NewObject()
		switch {
		case in.secret:
			w.note(property, "TODO: a secret, so that its value is not written here. If the server can have it in env or headers, remove this argument.")
		case value.Size(in.value) > longestExample:
			property.Set("type", schema.TypeName(in.value))
			w.note(property, "The value of the trace is too long to be written here: %d bytes.", value.Size(in.value))
		default:
			property.Set("type", schema.TypeName(in.value)).Set("examples", config.NewList(dataOf(in.value)))
		}
		properties.Set(in.name, property)
		required.Items = append(required.Items, config.NewText(in.name))
	}
	schema := config.NewObject().Set("type", "object").Set("properties", properties)
	if len(required.Items) > 0 {
		schema.Set("required", required)
	}
	return schema
}
