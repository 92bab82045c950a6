package cli

import (
	"slices"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

const wordsYAML = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
tools:
  - name: t
    description: d
    nodes:
      - {id: entry, type: entry, next: read}
      - {id: read, type: transform, transform: {expr: '{"lines": [{"no": 1}, {"text": "a"}], "a b": {"c": 1}, "hunter2-hunter2": 1, "\u202ex": 1}'}, next: each}
      - {id: each, type: mcp, server: up, tool: x, forEach: {items: $.read.lines}, args: {n: {expr: $item}}, next: facts}
      - id: facts
        type: parallel
        branches: {weather: {type: mcp, server: up, tool: x}, news: {type: mcp, server: up, tool: x}}
        next: call
      - {id: call, type: graph, tool: other, args: {}, next: exit}
      - {id: exit, type: exit}
  - name: other
    description: d
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`

// pausedAt returns a debugger whose run is paused before a node.
func pausedAt(t *testing.T, yaml, node string) *repl {
	t.Helper()
	t.Setenv("TOKEN", "hunter2-hunter2")
	file, err := config.Parse("g.yaml", []byte(yaml), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	c := debug.New()
	t.Cleanup(c.Close)
	s, err := c.Start(t.Context(), graphs[0], value.NewObject(nil, nil), execution.New(nil), debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: node}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil || s.State().Status != debug.Paused {
		t.Fatal(err, s.State().Message)
	}
	return &repl{session: s, graph: graphs[0], secrets: file.Secrets}
}

// Tab offers commands, places, fields of the values that there are, and addresses; never a secret or
// what a terminal would act on.
func TestDebugCompletes(t *testing.T) {
	r := pausedAt(t, wordsYAML, "each")
	r.watched = []string{"$.read.lines"}
	for line, want := range map[string][]string{
		"st":                  {"step ", "stop"},
		"  conte":             {"context "},
		"b":                   {"break ", "breaks"},
		"help wa":             {"watch "},
		"break e":             {"entry", "each", "each[]", "exit"},
		"b facts.":            {"facts.weather", "facts.news"},
		"until other:":        {"other:entry", "other:exit"},
		"break read ":         {"if "},
		"break read if $.e":   {"entry"},
		"print $.":            {"entry", "read"},
		"print $.read.":       {"lines", "`a b`"},
		"print $.read.`a":     {"`a b`"},
		"print $.read.`a b`.": {"c"},
		"p $.read.lines.":     {"no", "text"},
		"print $count($.r":    {"read"},
		"print $nodeE":        {"$nodeExecution(", "$nodeExecutions("},
		"print $it":           {"$item"},
		"print --":            {"--all "},
		"watch $.entry.x.":    nil,
		"unwatch ":            {"$.read.lines"},
		"edit ":               {"entry ", "read "},
		"edit entry ":         {"nothing", "{}"},
		"edit read ":          {"nothing"},
		"delete ":             {"each"},
		"frame ":              {"0", "1"},
		"step ":               nil,
		"fly ":                nil,
	} {
		head, got, tail := r.complete(line, len(line))
		if !slices.Equal(got, want) || tail != "" {
			t.Errorf("%q: %q after %q, want %q", line, got, head, want)
		}
	}
	if head, words, tail := r.complete("print $.rea = 1", len("print $.rea")); head != "print $." || !slices.Equal(words, []string{"read"}) || tail != " = 1" {
		t.Errorf("%q %q %q", head, words, tail)
	}
}

const stepsYAML = `version: "1.0"
server: {name: s, version: 1.0.0}
tools:
  - name: t
    description: d
    steps:
      - {id: list, expr: '[{"no": 1, "a b": 2}]'}
      - {id: rows, each: list, as: row, steps: [{id: text, expr: $row.no}, {id: last, expr: text}]}
`

// At a step of a block, expressions are completed with the names that it reads.
func TestDebugCompletesSteps(t *testing.T) {
	r := pausedAt(t, stepsYAML, "rows.last")
	for line, want := range map[string][]string{
		"break r":         {"rows", "rows[]", "rows.text", "rows.last"},
		"print l":         {"list"},
		"print $count(t":  {"text"},
		"print list.":     {"`a b`", "no"},
		"print $row.":     {"no", "`a b`"},
		"print $ro":       {"$row", "$round("},
		"print text & $i": {"$index"},
		"edit t":          {"text "},
		"edit text ":      {"nothing", "1"},
	} {
		if _, got, _ := r.complete(line, len(line)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A command can be named by the beginning of its name, when there is only one.
func TestDebugCommandNames(t *testing.T) {
	for name, want := range map[string]string{
		"step": "step", "s": "step", "conti": "continue", "c": "continue", "un": "several commands begin with \"un\": until or unwatch",
		"st": "several commands begin with \"st\": step or stop", "w": "watch", "wh": "where", "?": "help",
		"stpe": "unknown command \"stpe\"; did you mean \"step\"?", "fly": "unknown command \"fly\"; type help to list the commands",
	} {
		c, err := findCommand(name)
		if err == nil && c.name != want || err != nil && err.Error() != want {
			t.Errorf("%q: %v, %v; want %q", name, c, err, want)
		}
	}
}
