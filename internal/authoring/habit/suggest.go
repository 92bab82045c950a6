package habit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// Suggestion is a habit, and the tool that could do it.
type Suggestion struct {
	Habit
	Draft *Draft
	Week  int    // tokens in a week of answers that a client would not have read, and plans that it would not have written; an estimate
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

// OfRuns returns the suggestions from recorded runs that a filter selects, and their descriptions. least is how often a
// chain is there at least; 0 is the default.
func OfRuns(ctx context.Context, store *journal.Store, of journal.Filter, least int) ([]Suggestion, []View, error) {
	projects := &Projects{}
	runs := &Runs{Store: store, Graph: projects.Graph}
	habits, err := runs.Find(ctx, of, least)
	if err != nil {
		return nil, nil, err
	}
	all, err := Suggest(ctx, habits, runs)
	if err != nil {
		return nil, nil, err
	}
	views, err := Views(all, projects)
	return all, views, err
}

// week returns how many tokens in a week were read only to go on, or written again in plans.
func (h Habit) week() int {
	span := max(h.Last.Sub(h.First), leastSpan)
	return int(float64(h.Bytes) / bytesPer * float64(7*24*time.Hour) / float64(span))
}
