package graphtest

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Update returns the bytes of the report's test file with the values and paths of its runs in
// place of the expected ones; comments and order stay. src is the file as it is now. A case
// without an expectation gets both. A run that failed has no value, and a run with an unanswered
// call has no meaning; their expectations stay. The updated results then pass; names are the
// cases that changed.
func (r *Report) Update(src []byte) (updated []byte, names []string, err error) {
	path := r.Suite.Path
	root, err := config.ParseData(path, src)
	if err != nil {
		return nil, nil, err
	}
	tests := *root.Get("tests")
	tests.Items = slices.Clone(tests.Items)
	for _, result := range r.Results {
		at, of := lookUp(&tests, result.Case)
		if of == nil || !result.updatable() {
			continue
		}
		changed, err := result.expected(of.Get("expect"))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: the result of test %q cannot be written into the file: %w", result.Case.Pos, result.Case.Name, err)
		}
		if changed != nil {
			tests.Items[at] = withExpect(tests.Items[at], result.Case, changed)
			names = append(names, result.Case.Name)
		}
	}
	if names == nil {
		return src, nil, nil
	}
	if updated, err = config.Rewrite(path, src, root.With("tests", &tests)); err != nil {
		return nil, nil, err
	}
	for _, result := range r.Results {
		if slices.Contains(names, result.Case.Name) {
			result.met()
		}
	}
	return updated, names, nil
}

// lookUp returns the index of a case's test in the list of tests, and the lines of the case
// itself; nil when the file no longer has it.
func lookUp(tests *config.Data, c *Case) (int, *config.Data) {
	name := c.Name
	if c.Of != "" {
		name = c.Of
	}
	at := named(tests, name)
	switch {
	case at < 0:
		return at, nil
	case c.Of == "":
		return at, tests.Items[at]
	}
	cases := tests.Items[at].Get("cases")
	if i := named(cases, c.Key); i >= 0 {
		return at, cases.Items[i]
	}
	return at, nil
}

// named returns the index of an item by its key, in a list by its name; -1 for none.
func named(items *config.Data, name string) int {
	if items == nil {
		return -1
	}
	if items.Kind == config.KindObject {
		return slices.IndexFunc(items.Keys, func(k config.Text) bool { return k.Value == name })
	}
	return slices.IndexFunc(items.Items, func(d *config.Data) bool { return d.Get("name").Value() == name })
}

// withExpect returns a test with another expectation, of it or of one of its cases.
func withExpect(test *config.Data, c *Case, expect *config.Data) *config.Data {
	if c.Of == "" {
		return test.With("expect", expect)
	}
	cases := *test.Get("cases")
	cases.Items = slices.Clone(cases.Items)
	at := named(&cases, c.Key)
	cases.Items[at] = cases.Items[at].With("expect", expect)
	return test.With("cases", &cases)
}

// updatable reports whether the result of the run can become the expectation.
func (r *Result) updatable() bool {
	if r.Status == Skipped || r.graph == nil || r.isUnanswered() {
		return false
	}
	return r.Status == Failed || r.Case.Expect.empty()
}

// expected returns the expectation with the result of the run; nil when it does not change.
func (r *Result) expected(now *config.Data) (*config.Data, error) {
	draft := r.Case.Expect.empty()
	if draft && r.Failure != "" {
		return nil, nil
	}
	if now == nil || now.Kind != config.KindObject {
		now = &config.Data{Kind: config.KindObject}
	}
	changed := false
	if r.Failure == "" && (draft || r.has("value")) {
		value, err := dataOf(r.Value)
		if err != nil {
			return nil, err
		}
		now, changed = now.With("value", value), true
	}
	if (draft || r.has("path")) && r.graph.Steps() == nil { // steps have no path
		nodes, err := dataOf(value.FromPlain(r.Path()))
		if err != nil {
			return nil, err
		}
		now, changed = now.With("path", nodes), true
	}
	if !changed {
		return nil, nil
	}
	return now, nil
}

// has reports whether the result has a problem of a kind.
func (r *Result) has(what string) bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.What == what })
}

// met removes the problems that an update has solved.
func (r *Result) met() {
	r.Problems = slices.DeleteFunc(r.Problems, func(p Problem) bool { return p.What == "value" || p.What == "path" })
	if len(r.Problems) == 0 {
		r.Status, r.Divergence = Passed, ""
	}
}

// dataOf returns a value as data of a file.
func dataOf(v value.Value) (*config.Data, error) {
	src, err := value.Encode(v)
	if err != nil {
		return nil, err
	}
	return config.ParseData("the value", src)
}
