package inspect

import (
	"context"

	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/habit"
)

// Suggestions are tools for what is done again and again, those that save the most first.
type Suggestions struct {
	Suggestions []habit.View `json:"suggestions"`
}

// SuggestTools returns drafts of tools from the runs that a filter selects; only those of the file when there is one.
// least is how often a chain of calls is there at least; 0 is the default.
func (i *Inspector) SuggestTools(ctx context.Context, f journal.Filter, least int) (*Suggestions, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	if i.File != "" {
		if f.File, err = i.ofFile(); err != nil {
			return nil, err
		}
	}
	f.Limit = -1
	_, views, err := habit.OfRuns(ctx, s, f, least)
	return &Suggestions{views}, err
}
