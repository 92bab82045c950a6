package graphtest

import (
	"fmt"
	"path/filepath"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// suite reads a whole file.
func (r *reader) suite(path string, data *config.Data) *Suite {
	s := &Suite{Path: path, Graph: r.graph}
	const who = "a test file"
	if !r.object(data, who, suiteKeys...) {
		return s
	}
	if graph := r.text(data, "graph", who); graph.Value != "" {
		s.Graph = relativeTo(path, graph.Value)
	}
	if servers := r.text(data, "servers", who); servers.Value != "" {
		s.Servers = relativeTo(path, servers.Value)
	}
	if s.Graph == "" {
		r.bad(data.Pos, "the file belongs to no graph file", "write graph: PATH, or name the file like its graph: X"+testEnding+" belongs to X.yaml")
	}
	s.Mocks = r.mocks(data.Get("mocks"))
	tests := r.list(data, "tests", who)
	if len(tests) == 0 {
		r.bad(data.Pos, "found no tests, expected at least one", "write tests: [{name: …, tool: …, args: {…}, expect: {…}}]")
	}
	seen := map[string]config.Pos{}
	for _, item := range tests {
		for _, c := range r.cases(path, item) {
			if first, again := seen[c.Name]; again && c.Name != "" {
				r.bad(c.Pos, fmt.Sprintf("the name %q is that of the test in line %d already", c.Name, first.Line), "give each test a name of its own")
			}
			seen[c.Name] = c.Pos
			s.Cases = append(s.Cases, c)
		}
	}
	return s
}

// relativeTo is a path that stands in the file at path.
func relativeTo(path, named string) string {
	if filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(named))
}

func (r *reader) testCase(path string, data *config.Data) *Case {
	c := &Case{Pos: data.Pos}
	before := len(r.found)
	if !r.object(data, "a test", testKeys...) {
		return c
	}
	slips := len(r.found) > before // a key that was meant to be expect, perhaps
	name := r.text(data, "name", "a test")
	c.Name = name.Value
	who := fmt.Sprintf("test %q", c.Name)
	if c.Name == "" {
		r.bad(data.Pos, "a test has no name", "write name: and what the test shows")
		who = "a test"
	} else {
		c.Pos = name.Pos
	}
	c.Tool = r.text(data, "tool", who)
	if c.Tool.Value == "" {
		r.bad(data.Pos, who+" names no tool", "write tool: and the name of a tool of the graph file")
	}
	c.Args = value.NewObject(nil, nil)
	if args := data.Get("args"); args != nil {
		if args.Kind != config.KindObject {
			r.wrong(args, "args of "+who, "a mapping of the tool's arguments", "")
		} else {
			c.Args = valueOf(args)
		}
	}
	c.Env = r.env(data.Get("env"), who)
	for _, program := range r.texts(data, "needs", who) {
		c.Needs = append(c.Needs, program.Value)
	}
	c.Mocks = r.mocks(data.Get("mocks"))
	if cassette := r.text(data, "cassette", who); cassette.Value != "" {
		c.Cassette = relativeTo(path, cassette.Value)
	}
	c.Limits = r.limits(data.Get("limits"), who)
	before = len(r.found)
	c.Expect = r.expect(data.Get("expect"), who)
	slips = slips || len(r.found) > before
	if c.Expect.empty() && !r.drafts && !slips {
		r.bad(c.Pos, who+" expects nothing", "write expect: with value, partial, contains, isError, path, calls, nodes, nothing or executions; toolgraph test --update writes value and path")
	}
	return c
}

// env are the variables of a test; numbers and bools stand for their letters.
func (r *reader) env(data *config.Data, who string) map[string]string {
	if data == nil {
		return nil
	}
	if data.Kind != config.KindObject {
		r.wrong(data, "env of "+who, "a mapping of names to text", "")
		return nil
	}
	env := make(map[string]string, len(data.Keys))
	for i, key := range data.Keys {
		text, ok := data.Items[i].Scalar.(string)
		if !ok {
			r.wrong(data.Items[i], key.Value+" in env of "+who, "text", "quote it")
		}
		env[key.Value] = text
	}
	return env
}

func (r *reader) limits(data *config.Data, who string) Limits {
	if data == nil {
		return Limits{}
	}
	who = "limits of " + who
	if !r.object(data, who, limitKeys...) {
		return Limits{}
	}
	return Limits{
		MaxNodeExecutions:  r.count(data, "maxNodeExecutions", who, 1),
		MaxExecutionTime:   time.Duration(r.count(data, "maxExecutionTimeMs", who, 1)) * time.Millisecond,
		MaxNodeOutputBytes: r.count(data, "maxNodeOutputBytes", who, 1),
		MaxHistoryBytes:    r.count(data, "maxHistoryBytes", who, 1),
	}
}
