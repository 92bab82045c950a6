package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/base/wording"
	"toolgraph/mcpclient"
)

// The limits of a trace.
const (
	MaxTraceBytes = 64 << 20
	maxCalls      = 2000 // of one tool
	maxDepth      = 200  // of arguments and results
)

// call is one call of a trace. The moments are the numbers of the trace's entries, from 1: what was
// answered at one moment is known to what is asked at a later one.
type call struct {
	entry
	server, tool    string
	args            value.Value // an object
	result          value.Value // nil when it has no value
	asked, answered int         // 0: not answered
	failed          bool
	before          []string // what was called before it and is not imported, as lines of a comment
	time            time.Time
}

func (c *call) String() string { return c.server + "." + c.tool }

// refusal says why a call is not imported; empty when it is.
func (c *call) refusal() string {
	hasExpr := false
	if args, isObject := value.ObjectOf(c.args); isObject {
		_, hasExpr = args.Get("expr")
	}
	switch {
	case c.failed:
		return "which failed"
	case c.answered == 0:
		return "which has no result"
	case hasExpr:
		return "whose argument expr cannot be written: a graph file reads {expr: …} as an expression"
	}
	return ""
}

// entry is one object of a trace, with its place.
type entry struct {
	path         string
	line, column int
	object       value.Object
}

func (e entry) errorf(format string, args ...any) error {
	return placed(e.path, e.line, e.column, format, args...)
}

// text returns the text under a key, "" when it is missing; another value is an error.
func (e entry) text(o value.Object, key string) (string, error) {
	v, _ := o.Get(key)
	if v == nil || value.IsNull(v) {
		return "", nil
	}
	text, isText := v.(string)
	if !isText {
		return "", e.errorf("%q is %s, expected text", key, kindOf(v))
	}
	return text, nil
}

// time returns the moment under a key; zero when there is none.
func (e entry) time(key string) time.Time {
	text, _ := e.text(e.object, key)
	moment, _ := time.Parse(time.RFC3339, text)
	return moment
}

// kindOf names the JSON type of a value.
func kindOf(v value.Value) string {
	switch v := v.(type) {
	case nil, value.NullType:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "text"
	case []any:
		return "an array"
	default:
		if _, isObject := value.ObjectOf(v); isObject {
			return "an object"
		}
		return "a number"
	}
}

// trace is the calls of a file in the order in which they were asked for.
type trace struct {
	calls    []*call
	byID     map[string]*call // of a host's transcript
	said     []string         // texts of the user
	skipped  []string         // names of other tools since the last call
	before   []string         // what was called before and between the calls and is not imported
	after    []string         // what was called after the last call and is not imported
	first    *entry           // of the file; nil: it has none
	moment   int
	isHost   bool // an entry of a host's transcript was found
	imported int
}

// readTrace reads the transcript of a host, or a plain list of calls: JSON, or one object per line.
func readTrace(path string, src []byte) (*trace, error) {
	t := &trace{byID: map[string]*call{}}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	read := readLines
	switch start := bytes.TrimLeft(src, " \t\r\n"); {
	case len(start) > 0 && start[0] == '[':
		read = readArray
	case len(start) > 0 && start[0] == '{' && bytes.ContainsRune(bytes.TrimRight(start, " \t\r\n"), '\n') && json.Valid(src):
		read = readObject
	}
	if err := read(path, src, t.add); err != nil {
		return nil, err
	}
	t.settle()
	switch {
	case t.imported > 0:
		return t, nil
	case len(t.calls) == 1 && !t.calls[0].failed && t.calls[0].answered > 0:
		return nil, fmt.Errorf("%s: cannot import %s, %s", path, t.calls[0], t.calls[0].refusal())
	case len(t.calls) > 0:
		return nil, fmt.Errorf("%s: none of its %s has succeeded", path, wording.Count(len(t.calls), "call"))
	case t.isHost:
		return nil, fmt.Errorf("%s: the transcript has no calls of MCP tools, expected items of type tool_use whose name is mcp__SERVER__TOOL", path)
	}
	return nil, t.noTrace(path)
}

// noTrace is the error about a file that has nothing of a trace.
func (t *trace) noTrace(path string) error {
	const expected = "expected a host's transcript, or objects with server, tool, args and result"
	if t.first == nil {
		return placed(path, 1, 1, "the file has no entries, %s", expected)
	}
	keys := t.first.object.Keys()
	if slices.Contains(keys, "toolgraphRun") {
		return t.first.errorf("found a run that toolgraph runs export wrote, which toolgraph runs import reads; %s", expected)
	}
	return t.first.errorf("found no calls, but an object with the keys %s; %s", wording.List(keys[:min(len(keys), 10)]), expected)
}

// add takes the next entry of the trace.
func (t *trace) add(e entry) error {
	t.moment++
	if t.first == nil {
		t.first = &e
	}
	if _, is := e.object.Get("tool"); is {
		return t.addPlain(e)
	}
	if _, is := e.object.Get("server"); is {
		return t.addPlain(e)
	}
	return t.addHost(e)
}

// addPlain takes an entry {server, tool, args, result}.
func (t *trace) addPlain(e entry) error {
	c := &call{entry: e, asked: t.moment, answered: t.moment, time: e.time("time")}
	var err error
	if c.server, err = e.text(e.object, "server"); err != nil {
		return err
	}
	if c.tool, err = e.text(e.object, "tool"); err != nil {
		return err
	}
	if c.server == "" || c.tool == "" {
		return e.errorf("a call has no server or no tool; write {\"server\": …, \"tool\": …, \"args\": {…}, \"result\": …}")
	}
	args, _ := e.object.Get("args")
	if c.args, err = e.argsOf(args); err != nil {
		return err
	}
	if problem, _ := e.object.Get("error"); problem != nil && !value.IsNull(problem) {
		c.failed = true
	}
	isError, _ := e.object.Get("isError")
	c.failed = c.failed || isError == true
	result, given := e.object.Get("result")
	if !given && !c.failed {
		c.answered = 0
	}
	if given && !c.failed {
		if c.result, c.failed, err = plainResult(result); err != nil {
			return e.errorf("the result cannot be read: %s", err)
		}
	}
	return t.append(c)
}

// argsOf returns the arguments of a call.
func (e entry) argsOf(v value.Value) (value.Value, error) {
	if v == nil || value.IsNull(v) {
		return value.NewObject(nil, nil), nil
	}
	if _, isObject := value.ObjectOf(v); !isObject {
		return nil, e.errorf("the arguments are %s, expected an object", kindOf(v))
	}
	if err := checkDepth(v, 0); err != nil {
		return nil, e.errorf("the arguments are %s", err)
	}
	if n := habit.LongestKey(v); n > habit.MaxKey {
		return nil, e.errorf("an argument has a name of %d bytes, expected at most %d", n, habit.MaxKey)
	}
	return v, nil
}

// append adds a call, and what was skipped before it.
func (t *trace) append(c *call) error {
	if len(t.calls) >= 100*maxCalls {
		return c.errorf("the trace has more than %d calls; split it", 100*maxCalls)
	}
	c.before, t.skipped = t.skipped, nil
	t.calls = append(t.calls, c)
	return nil
}

// settle moves the comments of the calls that are not imported to the next that is.
func (t *trace) settle() {
	var lines []string
	for _, c := range t.calls {
		lines = append(lines, skippedTools(c.before)...)
		c.before = nil
		if why := c.refusal(); why != "" {
			lines = append(lines, fmt.Sprintf("Not imported: %s, %s.", c, why))
			continue
		}
		c.before, lines = lines, nil
		t.imported++
	}
	t.after = slices.Concat(lines, skippedTools(t.skipped))
}

// skippedTools returns the comment about calls of tools that are not MCP's.
func skippedTools(tools []string) []string {
	if len(tools) == 0 {
		return nil
	}
	var words []string
	count := map[string]int{}
	for _, tool := range tools {
		if count[tool]++; count[tool] == 1 {
			words = append(words, tool)
		}
	}
	for i, word := range words {
		if count[word] > 1 {
			words[i] = fmt.Sprintf("%s (%d times)", word, count[word])
		}
	}
	return []string{"Not imported, because these are no MCP tools: " + wording.List(words) + "."}
}

// plainResult returns the value of a result that is either a value itself or a result of MCP.
func plainResult(v value.Value) (value.Value, bool, error) {
	if text, isText := v.(string); isText {
		return contentResult([]any{textItem(text)})
	}
	if isToolResult(v) {
		return toolResult(v)
	}
	return v, false, checkDepth(v, 0)
}

// isToolResult reports whether a value has the form of MCP's result of a call.
func isToolResult(v value.Value) bool {
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return false
	}
	if structured, is := object.Get("structuredContent"); is && !value.IsNull(structured) {
		return true
	}
	content, _ := object.Get("content")
	items, isList := content.([]any)
	for _, item := range items {
		o, isItem := value.ObjectOf(item)
		if !isItem {
			return false
		}
		kind, _ := o.Get("type")
		if text, _ := kind.(string); !slices.Contains(contentTypes, text) {
			return false
		}
	}
	return isList
}

var contentTypes = []string{"text", "image", "audio", "resource", "resource_link"}

func textItem(text string) value.Value {
	return value.NewObject([]string{"type", "text"}, []value.Value{"text", text})
}

// contentResult returns the value of content items, as a run reads it.
func contentResult(items []any) (value.Value, bool, error) {
	return toolResult(value.NewObject([]string{"content"}, []value.Value{items}))
}

func toolResult(result value.Value) (value.Value, bool, error) {
	raw, err := value.Encode(result)
	if err != nil {
		return nil, false, err
	}
	v, failed, err := mcpclient.ReadResult(raw)
	if err != nil || failed {
		return nil, failed, err
	}
	return v, false, checkDepth(v, 0)
}

// checkDepth rejects values that are nested too deep to be looked through.
func checkDepth(v value.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if list, isList := v.([]any); isList {
		for _, item := range list {
			if err := checkDepth(item, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return nil
	}
	for _, key := range object.Keys() {
		member, _ := object.Get(key)
		if err := checkDepth(member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// columnAt returns the column, from 1, of a byte of a text's last line.
func columnAt(src []byte, offset int) int {
	before := src[:min(max(offset, 0), len(src))]
	return 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
