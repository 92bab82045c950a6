package examplefile

import (
	"errors"

	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
)

// Case is one call of a tool and what is expected of it.
type Case struct {
	Graph  string // the path of the graph file
	Name   string
	Tool   string
	Args   map[string]any // plain JSON values
	Env    map[string]string
	Needs  []string
	Expect Expect

	from *graphtest.Case
}

// Expect is what a case expects of its result. The path is for those who can see it
// to compare.
type Expect struct{ graphtest.Expect }

func newCase(graph string, from *graphtest.Case) Case {
	args, _ := value.Plain(from.Args).(map[string]any)
	return Case{
		Graph: graph, Name: from.Name, Tool: from.Tool.Value, Args: args, Env: from.Env, Needs: from.Needs,
		Expect: Expect{from.Expect}, from: from,
	}
}

// Missing is the first program that the case needs and that is not on PATH, or "".
func (c Case) Missing() string { return c.from.Missing() }

// Fill puts a path in the place of {name} for each name in places.
func (c *Case) Fill(places map[string]string) { *c = newCase(c.Graph, c.from.Filled(places)) }

// Match is an error that says what of a result is not as expected: text is its value
// as JSON, or why there is none when the tool failed.
func (e Expect) Match(text string, failed bool) error {
	var all error
	for _, p := range e.Expect.Match(text, failed) {
		all = errors.Join(all, errors.New(p.Text()))
	}
	return all
}
