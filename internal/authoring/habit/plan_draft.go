package habit

import (
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/proposal"
)

// ofPlans makes a draft of plans of one shape, whose steps are those of the tool: the literals that differ are its
// arguments. Nil when the plans have several shapes, or the tool does not make their calls.
func ofPlans(ctx context.Context, jobs []Job, requests []value.Value) *Draft {
	literals, same := literalsOf(requests)
	if !same {
		return nil
	}
	var calls []*Call
	for _, j := range jobs {
		calls = append(calls, j.Calls...)
	}
	d := newDraft(SecretsOf(calls))
	d.Jobs = jobs
	m := newMaker(ctx, d)
	var arguments []proposal.Argument
	inside := map[string]map[int]string{} // of the expression at a path, what takes the place of its texts
	for _, path := range literals[0].Keys() {
		wants := make([]value.Value, len(requests))
		for i := range literals {
			wants[i], _ = literals[i].Get(path)
		}
		if allSame(wants) && !slices.ContainsFunc(wants, d.Secrets.Has) {
			continue
		}
		at, number, isText := strings.Cut(path, "#")
		if isText {
			texts, _ := strconv.Atoi(number)
			if inside[at] == nil {
				inside[at] = map[int]string{}
			}
			inside[at][texts] = m.textOf(wants)
			continue
		}
		in := m.add(wants, nil, strings.TrimRight(path[strings.LastIndexByte(path, '.')+1:], "[]0123456789"))
		arguments = append(arguments, proposal.Argument{Name: in.Name, Path: strings.TrimPrefix(path, ".")})
	}
	request := replaced("", requests[len(requests)-1], inside, 0)
	made, err := proposal.New(proposal.Plan{Request: request}, verifiedName, "", arguments)
	if err != nil || len(made.Secrets) > 0 {
		return nil
	}
	d.Steps, d.Return, d.Args = made.Tool.Get("steps"), made.Tool.Get("return"), m.args()
	d.Chain = chainOf(shapesOf(fold(jobs[0].Calls, neighbours)))
	if d.Parts = d.verify(ctx); d.Reproduced() < len(jobs) {
		return nil
	}
	return d
}

// literalsOf returns the literals of requests by their paths; false when the requests have several shapes.
func literalsOf(requests []value.Value) (all []value.Object, same bool) {
	first := ""
	for i, request := range requests {
		shape, found := Shape(request)
		if i > 0 && shape != first {
			return nil, false
		}
		first = shape
		object, _ := value.ObjectOf(found)
		all = append(all, object)
	}
	return all, true
}

// newMaker returns a maker with an environment for each job of a draft.
func newMaker(ctx context.Context, d *Draft) *maker {
	m := &maker{
		evaluator: evaluator{ctx: ctx, compiled: map[string]*jsonata.Expression{}, seed: maphash.MakeSeed()},
		jobs:      d.Jobs, secrets: d.Secrets, draft: d, inputs: Names{}, used: Names{"args": true},
	}
	for i, j := range d.Jobs {
		m.said = append(m.said, strings.Join(j.Said, "\n"))
		m.outer = append(m.outer, newEnv(i))
		m.outer[i].now = 1
	}
	return m
}

// args returns the arguments of the tool for each job.
func (m *maker) args() (all []value.Value) {
	for _, e := range m.outer {
		args, _ := e.scope.Context["args"].(*value.Map)
		all = append(all, args)
	}
	return all
}

// textOf returns what takes the place of a text in an expression that differs from job to job: what the arguments of the
// tool give, or one more of them.
func (m *maker) textOf(wants []value.Value) string {
	if source := m.trace(wants, m.outer); source != "" {
		return "(" + source + ")"
	}
	return "args." + m.add(wants, nil, "value").Name
}

// replaced returns a request with other texts in the expressions at some paths.
func replaced(path string, v value.Value, inside map[string]map[int]string, depth int) value.Value {
	if depth > deepest {
		return v
	}
	if list, isList := v.([]any); isList {
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = replaced(path+"["+strconv.Itoa(i)+"]", item, inside, depth+1)
		}
		return out
	}
	if object, isObject := value.ObjectOf(v); isObject {
		out := value.NewMap()
		for _, key := range object.Keys() {
			part, _ := object.Get(key)
			out.Set(key, replaced(path+"."+key, part, inside, depth+1))
		}
		return out
	}
	source, isText := v.(string)
	if texts := inside[path]; texts != nil && isText {
		number := -1
		return quotedText().ReplaceAllStringFunc(source, func(text string) string {
			number++
			if other, is := texts[number]; is {
				return other
			}
			return text
		})
	}
	return v
}
