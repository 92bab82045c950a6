package authoring

import (
	"context"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/habit"
)

// defaultSuggestions is how many suggestions are shown unless limit is given.
const defaultSuggestions = 10

// suggestTools drafts tools for what clients of the graph file do again and again.
func (r *request) suggestTools(ctx context.Context) (any, error) {
	recorded, path, err := r.recordedRuns()
	if err != nil {
		return nil, err
	}
	filter := journal.Filter{File: path}
	if since := r.Text("since"); since != "" {
		if filter.Since, err = time.Parse(time.RFC3339, since); err != nil {
			return nil, err
		}
	}
	found, err := recorded.SuggestTools(ctx, filter, r.Number("least", 0))
	if err != nil {
		return nil, err
	}
	items := found.Suggestions[:min(len(found.Suggestions), r.Number("limit", defaultSuggestions))]
	for i := range items {
		items[i].Draft = "" // the same as its definition
	}
	return list[habit.View]{Items: items}, nil
}
