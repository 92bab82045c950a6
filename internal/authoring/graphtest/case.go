package graphtest

import (
	"cmp"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// The keys of tests; schema.json describes the same.
var (
	testKeys  = []string{"name", "tool", "args", "vars", "env", "needs", "mocks", "cassette", "limits", "expect", "cases"}
	caseKeys  = []string{"name", "args", "vars", "env", "mocks", "limits", "expect"}
	limitKeys = []string{"maxNodeExecutions", "maxExecutionTimeMs", "maxNodeOutputBytes", "maxHistoryBytes", "maxDepth", "maxCalls", "maxResultBytes"}
)

// Case is one test: a call of a tool and the expected result.
type Case struct {
	Pos      config.Pos
	Name     string // of an item of cases: that of its test, a slash, and its own
	Of       string // the name of the test whose case it is; "" when it is a test itself
	Key      string // its own name among the cases of that test
	Tool     config.Text
	Args     value.Value             // an Object
	Vars     map[string]*config.Data // other values for constants of the graph file, by name; nil for none
	Env      map[string]string       // for the ${VAR} of the graph file; and for a program that runs the case
	Needs    []string                // programs without which the case cannot run on servers
	Mocks    []*Mock                 // before those of the file
	Cassette string                  // path of a cassette of its own, or ""
	Limits   config.Limits           // over those of the graph; zero changes nothing
	Expect   Expect
}

// limits returns the limits of a graph with those of the case over them.
func (c *Case) limits(of config.Limits) config.Limits {
	return config.Limits{
		MaxNodeExecutions:  cmp.Or(c.Limits.MaxNodeExecutions, of.MaxNodeExecutions),
		MaxExecutionTime:   cmp.Or(c.Limits.MaxExecutionTime, of.MaxExecutionTime),
		MaxNodeOutputBytes: cmp.Or(c.Limits.MaxNodeOutputBytes, of.MaxNodeOutputBytes),
		MaxHistoryBytes:    cmp.Or(c.Limits.MaxHistoryBytes, of.MaxHistoryBytes),
		MaxDepth:           cmp.Or(c.Limits.MaxDepth, of.MaxDepth),
		MaxCalls:           cmp.Or(c.Limits.MaxCalls, of.MaxCalls),
		MaxResultBytes:     cmp.Or(c.Limits.MaxResultBytes, of.MaxResultBytes),
	}
}

// isSelected reports whether an expression matches the name of the case or that of its test.
func (c *Case) isSelected(only *regexp.Regexp) bool {
	return only == nil || only.MatchString(c.Name) || c.Of != "" && only.MatchString(c.Of)
}

// Missing returns the first program that the case needs and that is not on PATH, or "".
func (c *Case) Missing() string {
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
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
	c.Args = valueOf(r.mapping(data, "args", who, "a mapping of the tool's arguments"))
	c.Vars = r.vars(data, who)
	c.Env = r.env(data, who)
	for _, program := range r.texts(data, "needs", who) {
		c.Needs = append(c.Needs, program.Value)
	}
	c.Mocks = r.mocks(data.Get("mocks"))
	if cassette := r.text(data, "cassette", who); cassette.Value != "" {
		c.Cassette = relativeTo(path, cassette.Value)
	}
	c.Limits = r.limits(data.Get("limits"), "limits of "+who)
	before = len(r.found)
	c.Expect = r.expect(data.Get("expect"), who)
	slips = slips || len(r.found) > before
	if c.Expect.empty() && !r.drafts && !slips {
		r.bad(c.Pos, who+" expects nothing",
			"write expect: with value, partial, contains, isError, code, path, calls, nodes, nothing, executions or spilled; toolgraph test --update writes value and path")
	}
	return c
}

// env returns the variables of a test; nil for none.
func (r *reader) env(data *config.Data, who string) map[string]string {
	variables := r.mapping(data, "env", who, "a mapping of names to text")
	if len(variables.Keys) == 0 {
		return nil
	}
	env := make(map[string]string, len(variables.Keys))
	for i, key := range variables.Keys {
		env[key.Value] = r.textOf(variables.Items[i], key.Value+" in env of "+who).Value
	}
	return env
}

func (r *reader) limits(data *config.Data, who string) config.Limits {
	if data == nil || !r.object(data, who, limitKeys...) {
		return config.Limits{}
	}
	return config.Limits{
		MaxNodeExecutions:  r.count(data, "maxNodeExecutions", who, 1),
		MaxExecutionTime:   time.Duration(r.count(data, "maxExecutionTimeMs", who, 1)) * time.Millisecond,
		MaxNodeOutputBytes: r.count(data, "maxNodeOutputBytes", who, 1),
		MaxHistoryBytes:    r.count(data, "maxHistoryBytes", who, 1),
		MaxDepth:           r.count(data, "maxDepth", who, 1),
		MaxCalls:           r.count(data, "maxCalls", who, 1),
		MaxResultBytes:     r.count(data, "maxResultBytes", who, 1),
	}
}

// mostRepeated is the size of a test times the number of its cases, at most, in bytes of JSON.
const mostRepeated = 64 << 20

// cases returns the cases of a test: the test itself, or one for each item of its cases. Such
// a case has the lines of the test, and its own over them: arguments, variables, limits and
// lines of the expectation each by name; its mocks go before those of the test.
func (r *reader) cases(path string, test *config.Data) []*Case {
	list := test.Get("cases")
	if list == nil {
		return []*Case{r.testCase(path, test)}
	}
	common := test.With("cases", nil)
	name, _ := test.Get("name").Value().(string)
	who := fmt.Sprintf("test %q", name)
	var all []*Case
	switch size := len(common.JSON()); {
	case size*len(list.Items) > mostRepeated:
		r.bad(list.Pos, fmt.Sprintf("%s has %d cases that repeat its %d bytes, expected at most 64 MiB in all", who, len(list.Items), size),
			"split the test, or move what is large into the cases that need it")
		return nil
	case list.Kind == config.KindArray:
		for _, item := range list.Items {
			of := r.text(item, "name", "a case of "+who)
			if item.Kind == config.KindObject && of.Value == "" {
				r.bad(item.Pos, "a case of "+who+" has no name", "write name: and what the case shows")
			}
			all = append(all, r.oneCase(path, common, name, of, item))
		}
	case list.Kind == config.KindObject:
		for i, item := range list.Items {
			if given := item.Get("name"); given != nil {
				r.bad(given.Pos, fmt.Sprintf("case %q of %s has a name besides its key, expected one of them", list.Keys[i].Value, who),
					"remove name:, or write cases as a list").Fixed(config.RemoveKey(given.Pos))
			}
			all = append(all, r.oneCase(path, common, name, list.Keys[i], item))
		}
	default:
		r.wrong(list, "cases of "+who, "a list of cases, or a mapping of names to cases", "")
		inner := &reader{drafts: true}
		all = append(all, inner.testCase(path, common))
		r.found = append(r.found, inner.found...)
	}
	if len(all) == 0 {
		r.bad(list.Pos, who+" has no cases, expected at least one", "write cases: [{name: …, args: {…}, expect: {…}}], or remove cases:").Fixed(config.RemoveKey(list.Pos))
	}
	return all
}

// oneCase reads a case of a test. Errors in the lines of the test are reported once.
func (r *reader) oneCase(path string, common *config.Data, test string, name config.Text, own *config.Data) *Case {
	who := fmt.Sprintf("case %q of test %q", name.Value, test)
	reported := len(r.found)
	if !r.object(own, who, caseKeys...) {
		return &Case{Pos: own.Pos, Of: test, Key: name.Value}
	}
	inner := &reader{drafts: r.drafts || len(r.found) > reported}
	merged := common
	if name.Value != "" && test != "" {
		full := config.Text{Value: test + "/" + name.Value, Pos: name.Pos}
		merged = merged.With("name", &config.Data{Pos: name.Pos, Scalar: full.Value, Text: full})
	}
	for _, key := range []string{"args", "vars", "env", "limits", "expect"} {
		if lines := own.Get(key); lines != nil {
			merged = merged.With(key, over(merged.Get(key), lines))
		}
	}
	c := inner.testCase(path, merged)
	c.Of, c.Key = test, name.Value
	c.Mocks = append(r.mocks(own.Get("mocks")), c.Mocks...)
	known := r.found
	for _, d := range inner.found {
		if !slices.ContainsFunc(known, func(k config.Diagnostic) bool { return k.Pos == d.Pos && k.Code == d.Code }) {
			r.found = append(r.found, d)
		}
	}
	return c
}

// over returns a mapping with the keys of own over those of common; own when one of them is
// not a mapping.
func over(common, own *config.Data) *config.Data {
	if common == nil || common.Kind != config.KindObject || own.Kind != config.KindObject {
		return own
	}
	merged := common
	for i, key := range own.Keys {
		merged = merged.With(key.Value, own.Items[i])
		at := slices.IndexFunc(merged.Keys, func(k config.Text) bool { return k.Value == key.Value })
		merged.Keys[at] = key // with its place
	}
	merged.Pos = own.Pos
	return merged
}
