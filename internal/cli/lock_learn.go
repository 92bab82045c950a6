package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

// runsLearned is how many recorded runs are learned from, the newest first.
const runsLearned = 1000

// learned returns the lock with schemas derived from recorded results: from the cassettes of the
// file's tests, and from its recorded runs.
func (f *lockFlags) learned(ctx context.Context, l *lock.Lock, p *project.Project, log *slog.Logger) (*lock.Lock, error) {
	answers, err := cassetteAnswers(p.File.Path)
	if err != nil {
		return nil, err
	}
	store, err := f.History.Open(log)
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
		err = recordedAnswers(ctx, store, p.File.Path, yield)
	})
	return learned, err
}

// recordedAnswers yields the results of calls in the recorded runs of a graph file.
func recordedAnswers(ctx context.Context, store *journal.Store, graphFile string, yield func(lock.Answer) bool) error {
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
			continue // it was deleted in the meantime
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

// answersOf returns the results of calls in the events of a run, also those that a poll did not
// wait for, without results that were not recorded, were edited, or came from onError.
func answersOf(events []execution.Event) []lock.Answer {
	var answers []lock.Answer
	calls := map[execution.Address]*execution.Visit{}
	for _, e := range events {
		switch {
		case e.Kind == execution.CallStarted && e.Step != nil:
			calls[e.At()] = e.Step
		case e.Kind == execution.AttemptFailed && e.Step != nil && e.Retry != nil:
			answers = append(answers, notYet(calls[e.At()], e.Retry.Error)...)
		case e.Kind == execution.StepFinished && e.Record != nil && !e.Record.Edited:
			call, r := calls[e.At()], e.Record
			if call == nil || call.NodeID != r.NodeID {
				continue
			}
			answers = append(append(answers, notYet(call, r.Error)...), notYet(call, r.Handled)...)
			if _, gap := journal.GapOf(r.Output); !gap && r.Error == nil && r.Handled == nil {
				answers = append(answers, lock.Answer{Server: call.Server, Tool: call.Tool, Value: r.Output})
			}
		}
	}
	return answers
}

// notYet returns the answer of a call that a poll did not wait for: retry.until did not hold.
func notYet(call *execution.Visit, f *execution.Failure) []lock.Answer {
	if call == nil || f == nil || f.Detail != string(config.FailNotYet) || f.Result == nil {
		return nil
	}
	v, err := value.Decode(f.Result)
	if _, gap := journal.GapOf(v); err != nil || gap {
		return nil
	}
	return []lock.Answer{{Server: call.Server, Tool: call.Tool, Value: v}}
}

// cassetteAnswers returns the results in the cassettes of a graph file's tests.
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

// cassettesOf returns the paths of the cassettes of a graph file's tests, each once, whether they
// exist or not.
func cassettesOf(graphFile string) ([]string, error) {
	tests := strings.TrimSuffix(graphFile, filepath.Ext(graphFile)) + config.TestEnding
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
