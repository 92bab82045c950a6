package habit

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/proposal"
)

// Suggestion is a habit, and the tool that could do it.
type Suggestion struct {
	Habit
	Draft *Draft
	Week  int    // tokens of answers that a client would not have read in a week, an estimate
	Why   string // there is no draft; empty: there is one
}

// Source has what the acts of a Finder were made of.
type Source interface {
	// Jobs returns the calls of occurrences, and for one that is a single plan its request.
	Jobs(ctx context.Context, occurrences [][]Ref) ([]Job, []value.Value, error)
}

// The bounds of suggestions.
const (
	mostTried    = 8 // occurrences that a draft is made of, the last ones
	bytesPer     = 4 // bytes of a token, about
	leastSpan    = 7 * 24 * time.Hour
	MostSuggests = 50
)

// Suggest makes drafts of the habits that were found: those that save the most first, at most MostSuggests.
func Suggest(ctx context.Context, habits []Habit, from Source) ([]Suggestion, error) {
	all := make([]Suggestion, 0, len(habits))
	for _, h := range habits {
		all = append(all, Suggestion{Habit: h, Week: h.week()})
	}
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(b.Week, a.Week) })
	all = all[:min(len(all), MostSuggests)]
	for i := range all {
		s := &all[i]
		occurrences := s.Occurrences[max(0, len(s.Occurrences)-mostTried):]
		jobs, requests, err := from.Jobs(ctx, occurrences)
		if err != nil {
			return nil, err
		}
		if len(requests) == len(jobs) && len(jobs) > 0 {
			s.Draft = ofPlans(ctx, jobs, requests)
		}
		if s.Draft == nil {
			made, err := New(ctx, jobs)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				s.Why = err.Error()
				continue
			}
			s.Draft = made
		}
	}
	return all, nil
}

// week returns how many tokens of answers in a week were read only to go on.
func (h Habit) week() int {
	span := max(h.Last.Sub(h.First), leastSpan)
	return int(float64(h.Bytes) / bytesPer * float64(7*24*time.Hour) / float64(span))
}

// ofPlans makes a draft of plans of one shape, whose steps are those of the tool; nil when they differ in more than the
// literals of arguments, or the tool does not make their calls.
func ofPlans(ctx context.Context, jobs []Job, requests []value.Value) *Draft {
	literals := make([]value.Object, len(requests))
	shape := ""
	for i, request := range requests {
		text, found := Shape(request)
		if i > 0 && text != shape {
			return nil
		}
		shape = text
		literals[i], _ = value.ObjectOf(found)
	}
	var calls []*Call
	for _, j := range jobs {
		calls = append(calls, j.Calls...)
	}
	d := newDraft(SecretsOf(calls))
	d.Jobs = jobs
	var arguments []proposal.Argument
	used := Names{}
	for _, path := range literals[0].Keys() {
		values := make([]value.Value, len(requests))
		for i := range literals {
			values[i], _ = literals[i].Get(path)
		}
		secret := slices.ContainsFunc(values, d.Secrets.Has)
		switch isSame := allSame(values); {
		case isSame && !secret:
			continue
		case strings.Contains(path, "#"):
			return nil // a text inside an expression
		}
		key := path[strings.LastIndexByte(path, '.')+1:]
		name := used.Unique(Identifier(strings.TrimRight(key, "[]0123456789"), "value"))
		arguments = append(arguments, proposal.Argument{Name: name, Path: strings.TrimPrefix(path, ".")})
		d.Inputs = append(d.Inputs, &Input{Name: name, Values: values, Secret: secret})
	}
	made, err := proposal.New(proposal.Plan{Request: requests[len(requests)-1]}, verifiedName, "", arguments)
	if err != nil || len(made.Secrets) > 0 {
		return nil
	}
	d.Steps, d.Return = made.Tool.Get("steps"), made.Tool.Get("return")
	for i := range jobs {
		args := value.NewMap()
		for _, in := range d.Inputs {
			args.Set(in.Name, in.Values[i])
		}
		d.Args = append(d.Args, args)
	}
	d.Chain = chainOf(shapesOf(fold(jobs[0].Calls, neighbours)))
	if d.Parts = d.verify(ctx); d.Reproduced() < len(jobs) {
		return nil
	}
	return d
}
