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
	Only        *regexp.Regexp // the cases whose names it matches; nil: all
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

// Run runs the cases of a test file. The error is config.Diagnostics when the graph
// file has mistakes or the test file names what it does not have. Without servers the
// cases run at the same time; with them one after the other.
func (s *Suite) Run(ctx context.Context, opts Options) (*Report, error) {
	r, err := newRunner(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	defer r.close()
	report := &Report{Suite: s, Graphs: r.project.Graphs, Warnings: r.project.Warnings}
	for _, c := range s.Cases {
		if opts.Only == nil || opts.Only.MatchString(c.Name) {
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
	p, err := opts.Load(ctx, s.Graph, config.Options{
		ServersFile: opts.ServersFile, AssumeEnv: true,
		LookupEnv: func(string) (string, bool) { return "", false },
	})
	if err != nil {
		return nil, err
	}
	if err := s.Check(p).Err(); err != nil {
		return nil, err
	}
	directory, err := directoryOf(s.Graph)
	if err != nil {
		return nil, err
	}
	r := &runner{suite: s, opts: opts, project: p, directory: directory, cassettes: map[string]*Cassette{}}
	if opts.Mode != Offline {
		r.servers = &servers{graph: s.Graph, opts: opts, byEnv: map[string]*connected{}}
	}
	for _, c := range s.Cases {
		if err := r.load(r.cassetteOf(c), c.Cassette != ""); err != nil {
			return nil, err
		}
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
	switch {
	case errors.Is(err, fs.ErrNotExist) && (!named || r.opts.Mode != Offline):
	case err != nil:
		return err
	}
	r.cassettes[path] = cassette
	return nil
}
