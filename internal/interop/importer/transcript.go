package importer

import (
	"context"
	"slices"

	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/habit"
)

// Transcripts are traces of agents' calls as the source of habits.
type Transcripts struct{ traces map[string]*trace }

// Read reads a trace, in one of the forms of AgentTrace, and gives its calls to find.
func (t *Transcripts) Read(path string, src []byte, find *habit.Finder) error {
	read, err := readTrace(path, src)
	if err != nil {
		return err
	}
	if t.traces == nil {
		t.traces = map[string]*trace{}
	}
	t.traces[path] = read
	for i, c := range read.calls {
		name := c.String()
		find.Add("", habit.Act{
			Name: name, Tools: []string{name}, Time: c.time, Args: c.args, Result: c.result, Failed: c.refusal() != "",
			Ref: habit.Ref{Run: path, At: i}, Apart: len(t.traces),
		})
	}
	return nil
}

// Jobs returns the calls of occurrences.
func (t *Transcripts) Jobs(_ context.Context, occurrences [][]habit.Ref) (jobs []habit.Job, requests []value.Value, err error) {
	for _, refs := range occurrences {
		job := habit.Job{}
		for i, ref := range refs {
			from := t.traces[ref.Run]
			if i == 0 {
				job.Said = from.said
			}
			job.Calls = append(job.Calls, from.calls[ref.At].habit())
		}
		slices.SortStableFunc(job.Calls, func(a, b *habit.Call) int { return a.Asked - b.Asked })
		jobs = append(jobs, job)
	}
	return jobs, nil, nil
}
