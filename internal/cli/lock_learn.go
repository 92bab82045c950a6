package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
)

// runsLearned is how many kept runs are learned from, the newest.
const runsLearned = 1000

// learned is the lock with what recorded answers tell: those of the cassettes of the
// file's tests, and of its kept runs.
func (f *lockFlags) learned(ctx context.Context, l *lock.Lock, p *project.Project, log *slog.Logger) (*lock.Lock, error) {
	answers, err := cassetteAnswers(p.File.Path)
	if err != nil {
		return nil, err
	}
	store, err := f.history.open(log)
	if err != nil {
		return nil, err
	}
	defer store.Close() // it was only read
	learned := l.Learn(func(yield func(lock.Answer) bool) {
		for _, a := range answers {
			if !yield(a) {
				return
			}
		}
		err = keptAnswers(ctx, store, p.File.Path, yield)
	})
	return learned, err
}

// keptAnswers yields the answers in the kept runs of a graph file.
func keptAnswers(ctx context.Context, store *journal.Store, graphFile string, yield func(lock.Answer) bool) error {
	path, err := filepath.Abs(graphFile)
	if err != nil {
		return err
	}
	runs, err := store.List(ctx, journal.Filter{File: path, Limit: runsLearned})
	if err != nil {
		return err
	}
	for _, run := range runs {
		events, err := store.Load(ctx, run.ID)
		if errors.Is(err, journal.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		for _, a := range answersOf(events) {
			if !yield(a) {
				return nil
			}
		}
	}
	return nil
}

// answersOf are the answers in the events of a run, without those that were not kept
// and those that somebody edited.
func answersOf(events []execution.Event) []lock.Answer {
	var answers []lock.Answer
	calls := map[int]*execution.Visit{}
	for _, e := range events {
		switch {
		case e.Kind == execution.CallStarted && e.Step != nil:
			calls[e.Step.Index] = e.Step
		case e.Kind == execution.StepFinished && e.Record != nil && e.Record.Error == nil && !e.Record.Edited:
			call := calls[e.Record.Index]
			if call == nil || call.NodeID != e.Record.NodeID {
				continue
			}
			if _, gap := journal.GapOf(e.Record.Output); !gap {
				answers = append(answers, lock.Answer{Server: call.Server, Tool: call.Tool, Value: e.Record.Output})
			}
		}
	}
	return answers
}

// cassetteAnswers are the answers in the cassettes of a graph file's tests.
func cassetteAnswers(graphFile string) ([]lock.Answer, error) {
	paths, err := cassettesOf(graphFile)
	if err != nil {
		return nil, err
	}
	var answers []lock.Answer
	for _, path := range paths {
		recorded, err := graphtest.LoadCassette(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, r := range recorded {
			if r.Error == nil {
				answers = append(answers, lock.Answer{Server: r.Server, Tool: r.Tool, Value: r.Result.Value})
			}
		}
	}
	return answers, nil
}

// cassettesOf are the paths of the cassettes of a graph file's tests, each once, whether
// they are there or not.
func cassettesOf(graphFile string) ([]string, error) {
	tests := strings.TrimSuffix(graphFile, filepath.Ext(graphFile)) + ".test.yaml"
	suite, err := graphtest.Load(tests)
	if errors.Is(err, fs.ErrNotExist) {
		suite = &graphtest.Suite{Path: tests}
	} else if err != nil {
		return nil, err
	}
	paths := []string{suite.Cassette()}
	for _, c := range suite.Cases {
		if c.Cassette != "" && !slices.Contains(paths, c.Cassette) {
			paths = append(paths, c.Cassette)
		}
	}
	return paths, nil
}
