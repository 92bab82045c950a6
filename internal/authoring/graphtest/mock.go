package graphtest

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Mock answers the calls or the questions of one node, or the calls of one tool of a server.
type Mock struct {
	Name  config.Text // of a node, as naming reads it, or server.tool
	Rules []Rule      // the first whose When matches the arguments answers
}

// The keys of mocks; schema.json describes the same.
var (
	ruleKeys   = []string{"when", "result", "nothing", "error", "code", "sequence", "repeat"}
	answerKeys = []string{"result", "nothing", "error", "code"}
)

// Rule is one way to answer.
type Rule struct {
	Pos     config.Pos
	When    value.Value // the arguments, of an ask {message: TEXT}, must have this in them; nil: any
	Answers []Answer    // one after the other
	Repeat  bool        // the last answer is given again and again
}

// Answer is the result of a call, or what a user does with a question.
type Answer struct {
	Pos    config.Pos
	Value  value.Value // the node's output; nil is nothing
	Failed bool        // the call or the ask fails, with the text Error
	Error  string
	Code   config.FailureCode // of the failure; empty: tool-error, of an ask declined
}

// mocks reads a mapping of names to a rule, or a list of rules.
func (r *reader) mocks(data *config.Data) []*Mock {
	if data == nil {
		return nil
	}
	if data.Kind != config.KindObject {
		r.wrong(data, "mocks", "a mapping", "its keys are ids of mcp, graph and ask nodes, or server.tool")
		return nil
	}
	mocks := make([]*Mock, len(data.Keys))
	for i, name := range data.Keys {
		mocks[i] = &Mock{Name: name}
		rules := []*config.Data{data.Items[i]}
		if data.Items[i].Kind == config.KindArray {
			rules = data.Items[i].Items
		}
		for _, rule := range rules {
			mocks[i].Rules = append(mocks[i].Rules, r.rule(rule, fmt.Sprintf("mock %q", name.Value)))
		}
	}
	return mocks
}

func (r *reader) rule(data *config.Data, who string) Rule {
	rule := Rule{Pos: data.Pos}
	if !r.object(data, who, ruleKeys...) {
		return rule
	}
	rule.When = valueOf(data.Get("when"))
	if n := given(data, "result", "nothing", "error", "sequence"); n != 1 {
		r.bad(data.Pos, fmt.Sprintf("%s has %d of result, nothing, error and sequence, expected exactly one", who, n),
			"write result: VALUE, nothing: true, error: TEXT, or sequence: [{result: VALUE}, …]")
		return rule
	}
	repeat := r.text(data, "repeat", who)
	switch {
	case data.Get("sequence") == nil:
		rule.Answers, rule.Repeat = []Answer{r.answer(data, who)}, true
		if repeat.IsSet() {
			r.bad(repeat.Pos, "repeat is only for a sequence; the answer of this mock is always given", "remove it, or write a sequence").Fixed(config.RemoveKey(repeat.Pos))
		}
		return rule
	case data.Get("code") != nil:
		r.bad(data.Get("code").Pos, "code is only for an error; the sequence of "+who+" has answers of its own", "write it beside error: of an item")
	case repeat.Value == "last":
		rule.Repeat = true
	case repeat.IsSet():
		r.bad(repeat.Pos, fmt.Sprintf("repeat is %q, expected last", repeat.Value), "omit it when a call after the last answer is to fail")
	}
	for _, item := range r.list(data, "sequence", who, "a list") {
		step := "an item of the sequence of " + who
		if !r.object(item, step, answerKeys...) {
			continue
		}
		if n := given(item, "result", "nothing", "error"); n != 1 {
			r.bad(item.Pos, fmt.Sprintf("%s has %d of result, nothing and error, expected exactly one", step, n),
				"write {result: VALUE}, {nothing: true} or {error: TEXT}")
		}
		rule.Answers = append(rule.Answers, r.answer(item, step))
	}
	if len(rule.Answers) == 0 {
		r.bad(data.Pos, "the sequence of "+who+" is empty", "write [{result: VALUE}, …]")
	}
	return rule
}

// given returns how many of the keys a mapping has.
func given(data *config.Data, keys ...string) (n int) {
	for _, key := range keys {
		if data.Get(key) != nil {
			n++
		}
	}
	return n
}

func (r *reader) answer(data *config.Data, who string) Answer {
	if code := data.Get("code"); code != nil && data.Get("error") == nil {
		r.bad(code.Pos, "code is only for an error, and "+who+" has none", "write error: TEXT beside it")
	}
	if nothing := data.Get("nothing"); nothing != nil {
		if nothing.Scalar != true {
			r.wrong(nothing, "nothing of "+who, "true", "omit it, and write result: VALUE")
		}
		return Answer{Pos: nothing.Pos}
	}
	if data.Get("error") != nil {
		return Answer{
			Pos: data.Get("error").Pos, Error: r.text(data, "error", who).Value, Failed: true,
			Code: r.code(data, who, config.FailureCodes),
		}
	}
	return Answer{Pos: data.At("result").Pos, Value: valueOf(data.Get("result"))}
}

// code returns the code of a failure under the key code; "" when it is missing or unknown.
func (r *reader) code(data *config.Data, who string, known []config.FailureCode) config.FailureCode {
	text := r.text(data, "code", who)
	code := config.FailureCode(text.Value)
	if !text.IsSet() || slices.Contains(known, code) {
		return code
	}
	near := wording.Nearest(text.Value, known)
	r.found.Add(text.Pos, "unknown-value", fmt.Sprintf("code of %s is %q, expected the code of a failure", who, text.Value),
		cmp.Or(wording.Meant(near), "write "+wording.Or(known))).Meant(text, near)
	return ""
}
