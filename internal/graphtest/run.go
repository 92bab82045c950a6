package graphtest

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Mode is what answers the calls that no mock answers.
type Mode int

// The modes.
const (
	Offline Mode = iota // cassettes; nothing is started
	Live                // servers
	Record              // servers, and their answers are written into cassettes
)

// Connect gives a way to call the servers of a graph file, and what ends them.
type Connect func(p *project.Project) (caller execution.ToolCaller, end func(), err error)

// Options of Run.
type Options struct {
	Mode        Mode
	Connect     Connect        // for Live and Record
	Only        *regexp.Regexp // the cases whose names, or those of whose tests, it matches; nil: all
	ServersFile string         // instead of the one that the test file names
	FailFast    bool           // after the first case that fails no further one begins
	// Load loads the graph file; nil: project.Load.
	Load func(ctx context.Context, path string, opts config.Options) (*project.Project, error)
}

// Report is how the cases of a test file went, in the order of the file.
type Report struct {
	Suite    *Suite
	Graphs   []*graph.Graph
	Results  []*Result // of the cases that Options.Only matches
	Warnings config.Diagnostics
	Written  []string // files that were written: cassettes, and by its caller the test file
	Err      error    // why the file could not be run, for those who gather reports; not set by Run
}

// Mistakes is everything that keeps the cases from running, nil when there is nothing:
// mistakes of the graph file, names that it does not have, cassettes that cannot be read.
func (s *Suite) Mistakes(ctx context.Context, opts Options) error {
	_, err := newRunner(ctx, s, opts)
	return err
}

// Mistakes are the findings among the reasons why a file could not be run, in the order of
// their places, and the other reasons.
func (r *Report) Mistakes() (found config.Diagnostics, others []error) {
	found, others = apart(r.Err)
	found.Sort()
	return found, others
}

// apart takes joined errors apart.
func apart(err error) (found config.Diagnostics, others []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
	case ok:
		for _, e := range joined.Unwrap() {
			f, o := apart(e)
			found, others = append(found, f...), append(others, o...)
		}
	case !errors.As(err, &found):
		others = append(others, err)
	}
	return found, others
}

// Run runs the cases of a test file. The error has all mistakes at once, of the graph file
// as config.Diagnostics, as Report.Mistakes takes them apart. Without servers the
// cases run at the same time; with them one after the other.
func (s *Suite) Run(ctx context.Context, opts Options) (*Report, error) {
	r, err := newRunner(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	defer r.close()
	report := &Report{Suite: s, Graphs: r.project.Graphs, Warnings: r.project.Warnings}
	for _, c := range s.Cases {
		if c.chosen(opts.Only) {
			report.Results = append(report.Results, &Result{Suite: s, Case: c, Status: Skipped, Why: "it was not begun"})
		}
	}
	workers := 1
	if opts.Mode == Offline {
		workers = min(runtime.GOMAXPROCS(0), len(report.Results))
	}
	var next atomic.Int64
	var stop atomic.Bool
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(report.Results) || stop.Load() || ctx.Err() != nil {
					return
				}
				r.run(ctx, report.Results[i])
				if opts.FailFast && report.Results[i].Status == Failed {
					stop.Store(true)
				}
			}
		})
	}
	all.Wait()
	if opts.Mode == Record && ctx.Err() == nil {
		report.Written, err = r.record(report.Results)
	}
	return report, err
}

// runner is what the cases of one Run share.
type runner struct {
	suite   *Suite
	opts    Options
	project *project.Project // as it is without any variable
	servers *servers         // nil: none

	directory places // of the graph file

	mu        sync.Mutex // guards cassettes
	cassettes map[string]*Cassette
}

func newRunner(ctx context.Context, s *Suite, opts Options) (*runner, error) {
	if opts.Load == nil {
		opts.Load = project.Load
	}
	if opts.ServersFile == "" {
		opts.ServersFile = s.Servers
	}
	r := &runner{suite: s, opts: opts, cassettes: map[string]*Cassette{}}
	var wrong []error
	if s.Graph != "" {
		p, err := opts.Load(ctx, s.Graph, config.Options{
			ServersFile: opts.ServersFile, AssumeEnv: true,
			LookupEnv: func(string) (string, bool) { return "", false },
		})
		if r.project = p; err == nil {
			err = s.Check(p).Err()
		}
		wrong = append(wrong, err)
	}
	var err error
	r.directory, err = directoryOf(s.Graph)
	wrong = append(wrong, err)
	for _, c := range s.Cases {
		wrong = append(wrong, r.load(r.cassetteOf(c), c.Cassette != ""))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if opts.Mode != Offline {
		r.servers = &servers{graph: s.Graph, opts: opts, byEnv: map[string]*connected{}}
	}
	return r, nil
}

func (r *runner) close() {
	if r.servers != nil {
		r.servers.close()
	}
}

// cassetteOf is the path of a case's cassette.
func (r *runner) cassetteOf(c *Case) string {
	if c.Cassette != "" {
		return c.Cassette
	}
	return r.suite.Cassette()
}

// load reads a cassette once. One that is named must be there, unless it is about to
// be recorded.
func (r *runner) load(path string, named bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.cassettes[path]; known {
		return nil
	}
	cassette, err := readCassette(path)
	r.cassettes[path] = cassette
	if errors.Is(err, fs.ErrNotExist) && (!named || r.opts.Mode != Offline) {
		return nil
	}
	return err
}
