package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// toolsOf returns the upstream tools that the graphs of a file call, by server.
func toolsOf(p *project.Project) map[string][]string {
	wanted := map[string][]string{}
	for _, g := range p.Graphs {
		for _, call := range g.Calls() {
			if !slices.Contains(wanted[call.Server], call.Tool) {
				wanted[call.Server] = append(wanted[call.Server], call.Tool)
			}
		}
	}
	return wanted
}

// askTools reads the wanted tools from their servers, all servers at once; only, when it is not
// empty, names the servers that are asked. invalid are the calls of tools that their servers do
// not list, as errors, or list twice, as warnings. The error says which servers failed.
func askTools(ctx context.Context, l *loaded, wanted map[string][]string, only []string) (entries []lock.Entry, invalid config.Diagnostics, err error) {
	var asking sync.WaitGroup
	servers := slices.DeleteFunc(slices.Clone(l.File.Servers), func(u *config.Upstream) bool {
		return len(wanted[u.Name.Value]) == 0 || len(only) > 0 && !slices.Contains(only, u.Name.Value)
	})
	listed := make([][]mcpclient.Tool, len(servers))
	failures := make([]error, len(servers))
	for i, u := range servers {
		asking.Go(func() { listed[i], failures[i] = l.pool.ListTools(ctx, u.Name.Value) })
	}
	asking.Wait()
	for i, u := range servers {
		if failures[i] == nil {
			found, unknown := pinned(l.Project, u, listed[i], wanted[u.Name.Value])
			entries, invalid = append(entries, found...), append(invalid, unknown...)
		}
	}
	return entries, invalid, errors.Join(failures...)
}

// pinned returns the entries of the wanted tools of a server, and the calls of tools that it does
// not list, or lists twice.
func pinned(p *project.Project, u *config.Upstream, listed []mcpclient.Tool, wanted []string) ([]lock.Entry, config.Diagnostics) {
	names := make([]string, len(listed))
	for i, t := range listed {
		names[i] = t.Name
	}
	var entries []lock.Entry
	for _, name := range wanted {
		if i := slices.Index(names, name); i >= 0 { // of several with a name, the first is called
			entries = append(entries, lock.Pin(u, listed[i], p.File.Secrets))
		}
	}
	var invalid config.Diagnostics
	for _, g := range p.Graphs {
		for _, call := range g.Calls() {
			switch first := slices.Index(names, call.Tool); {
			case call.Server != u.Name.Value:
			case first < 0:
				invalid = append(invalid, lock.UnknownTool(call, names))
			default:
				for i := first + 1; i < len(listed); i++ {
					if names[i] == call.Tool {
						invalid = append(invalid, lock.ListedTwice(call, lock.Pin(u, listed[first], p.File.Secrets), lock.Pin(u, listed[i], p.File.Secrets))...)
					}
				}
			}
		}
	}
	return entries, invalid
}

// runsLearned is how many recorded runs are learned from, the newest first.
const runsLearned = 1000

// learned returns the lock with schemas derived from recorded results: from the cassettes of the
// file's tests, and from its recorded runs.
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

// answersOf returns the results of calls in the events of a run, without results that were not
// recorded or were edited.
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
