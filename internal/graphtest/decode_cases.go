package graphtest

import (
	"fmt"
	"slices"

	"toolgraph/config"
)

// mostRepeated is how much a test may come to when it is repeated for each of its cases, in
// bytes of JSON.
const mostRepeated = 64 << 20

// cases are the cases of a test: the test itself, or one for each item of its cases. Such a
// case has the lines of the test, and its own over them: arguments, variables, limits and
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
	switch {
	case len(common.JSON())*len(list.Items) > mostRepeated:
		r.bad(list.Pos, fmt.Sprintf("%s has %d cases, which repeat its %d bytes too often, expected at most 64 MiB in all", who, len(list.Items), len(common.JSON())),
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
				r.bad(given.Pos, fmt.Sprintf("case %q of %s has a name beside its key, expected one of them", list.Keys[i].Value, who), "remove name:, or write cases as a list")
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
		r.bad(list.Pos, who+" has no cases, expected at least one", "write cases: [{name: …, args: {…}, expect: {…}}], or remove cases:")
	}
	return all
}

// oneCase is a case of a test, of whose lines nothing is reported a second time.
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
	for _, key := range []string{"args", "env", "limits", "expect"} {
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

// over is a mapping with the keys of another in the place of its own; where one of them
// is none, the other.
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
