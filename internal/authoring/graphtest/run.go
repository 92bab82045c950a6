package graphtest

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Mode says what answers the calls that have no mock.
type Mode int

// The modes.
const (
	Offline Mode = iota // cassettes; no server is started
	Live                // servers
	Record              // servers, and their answers are written into cassettes
)

// Connect returns a way to call the servers of a graph file, and a function that ends them.
type Connect func(p *project.Project) (caller execution.ToolCaller, end func(), err error)

// Options of Run.
type Options struct {
	Mode        Mode
	Connect     Connect           // for Live and Record
	Only        *regexp.Regexp    // the cases whose names, or those of whose tests, it matches; nil: all
	ServersFile string            // instead of the one that the test file names
	Vars        map[string]string // other values for constants, as config.Options.Vars; those of a test go first
	FailFast    bool              // no further case begins after one has failed
	// Repeatable returns what reports for a graph file which calls are safe to repeat, as
	// execution.WithRepeatable has it; nil: none but those of which the file says so.
	Repeatable func(p *project.Project) func(server, tool string, effect config.Effect) bool
	// Effects returns what reports for a graph file what the calls of a tool do, as
	// execution.WithEffects has it; nil: nothing but what the file says.
	Effects func(p *project.Project) func(ctx context.Context, server, tool string) config.Effect
	// Begins is called before each case with its place, how many cases there are and where its result will be, and what it
	// returns when the case has ended; several cases may run at the same time. nil: nothing is called.
	Begins func(i, of int, r *Result) (ended func())
	// Load loads the graph file; nil: project.Load.
	Load func(ctx context.Context, path string, opts config.Options) (*project.Project, error)
}

// Report has the results of the cases of a test file, in the order of the file.
type Report struct {
	Suite    *Suite
	Graphs   []*graph.Graph
	Results  []*Result // of the cases that Options.Only matches
	Warnings config.Diagnostics
	Written  []string // files that were written: cassettes, and by its caller the test file
	Err      error    // why the file could not be run; for the caller, not set by Run
}

// Mistakes returns every reason why the cases cannot run, nil when they can: errors of the
// graph file, names that it does not have, cassettes that cannot be read.
func (s *Suite) Mistakes(ctx context.Context, opts Options) error {
	_, err := newRunner(ctx, s, opts)
	return err
}

// Mistakes splits the reasons why a file could not be run into findings, in the order of their
// places, and other errors.
func (r *Report) Mistakes() (found config.Diagnostics, others []error) {
	found, others = split(r.Err)
	found.Sort()
	return found, others
}

// split splits joined errors.
func split(err error) (found config.Diagnostics, others []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
	case ok:
		for _, e := range joined.Unwrap() {
			f, o := split(e)
			found, others = append(found, f...), append(others, o...)
		}
	case !errors.As(err, &found):
		others = append(others, err)
	}
	return found, others
}

// Run runs the cases of a test file. The error has all mistakes at once, those of the graph file
// as config.Diagnostics, as Report.Mistakes splits them. Without servers the cases run at the
// same time; with them one after the other.
func (s *Suite) Run(ctx context.Context, opts Options) (*Report, error) {
	r, err := newRunner(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	defer r.close()
	report := &Report{Suite: s, Graphs: r.project.Graphs, Warnings: r.project.Warnings}
	for _, c := range s.Cases {
		if c.isSelected(opts.Only) {
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
				ended := func() {}
				if opts.Begins != nil {
					ended = opts.Begins(i, len(report.Results), report.Results[i])
				}
				r.run(ctx, report.Results[i])
				ended()
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

// runner is the state that the cases of one Run share.
type runner struct {
	suite   *Suite
	opts    Options
	project *project.Project // loaded without any variable
	servers *servers         // nil: none

	directory places // of the graph file

	others map[string]*project.Project // with other constants, by Case.varsKey

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
		p, err := r.loadGraph(ctx, nil)
		if r.project = p; err == nil {
			err = errors.Join(s.Check(p).Err(), r.loadOthers(ctx))
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

// cassetteOf returns the path of a case's cassette.
func (r *runner) cassetteOf(c *Case) string {
	if c.Cassette != "" {
		return c.Cassette
	}
	return r.suite.Cassette()
}

// load reads a cassette once. One that a case names must exist, unless it is about to be
// recorded.
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

// surroundings are the project, the servers and the places of one case.
type surroundings struct {
	project *project.Project
	caller  execution.ToolCaller // nil: no servers
	fills   places               // the values of {name}; none without servers
	known   places               // the paths that are {name} in what is compared and recorded
}

// run runs one case.
func (r *runner) run(ctx context.Context, result *Result) {
	c := result.Case
	result.Why = ""
	fail := func(pos config.Pos, err error) {
		result.Status, result.Problems = Failed, []Problem{{Pos: pos, What: "error", Message: err.Error()}}
	}
	in := surroundings{project: r.others[c.varsKey()], known: r.directory}
	if r.servers != nil {
		if missing := c.Missing(); missing != "" {
			result.Status, result.Why = Skipped, missing+" is not installed"
			return
		}
		var err error
		if in, err = r.servers.of(ctx, c); err != nil {
			fail(c.Pos, err)
			return
		}
	}
	g, err := in.project.Graph(c.Tool.Value) // Check has reported its error
	args := in.fills.fill(c.Args)
	if err == nil {
		g, args, err = in.project.ForRun(ctx, g, args, nil)
	}
	if err != nil {
		fail(c.Tool.Pos, err)
		return
	}
	var t *tape
	if r.opts.Mode == Offline {
		t = r.cassettes[r.cassetteOf(c)].tape(c.Name, in.known)
	}
	r.runOn(ctx, g, args, in, t, result)
}

// runOn runs a case's graph and compares the result with the expectation.
func (r *runner) runOn(ctx context.Context, g *graph.Graph, args value.Value, in surroundings, t *tape, result *Result) {
	c := result.Case
	secrets := in.project.File.Secrets
	calls := newCaller(g, c, r.suite, t, in)
	began := time.Now()
	g = limited(g, c)
	run, err := runTool(ctx, g, args, calls, r.engine(in.project))
	result.Duration = time.Since(began)
	result.graph, result.naming, result.Records, result.Calls = g, calls.naming, run.History(), calls.calls(run)
	text := ""
	if err == nil {
		result.Value, result.Spilled = run.Value, run.Spilled
	} else {
		result.Failure, result.Code = err.Error(), failureCode(err)
	}
	result.clean(in.known, secrets)
	if err == nil {
		text = exactText(result.Value)
	}
	expect := c.Expect.emptied(in.known)
	if calls.unanswered != nil {
		result.Problems = []Problem{*calls.unanswered}
	} else {
		result.Problems = expect.check(result, text)
	}
	result.Status = Passed
	if len(result.Problems) > 0 {
		result.Status = Failed
		result.Divergence = divergence(expect, t, result.Records)
	}
	for i, p := range result.Problems {
		if !p.Pos.IsValid() {
			result.Problems[i].Pos = c.Pos
		}
	}
}

// runTool runs a graph like the call of a client. The result is never nil.
func runTool(ctx context.Context, g *graph.Graph, args value.Value, calls *caller, opts []execution.Option) (*execution.Result, error) {
	result, err := execution.New(calls, append(opts, execution.WithUser(calls))...).Run(ctx, g, args)
	if result == nil { // the arguments make no run
		result = &execution.Result{}
	}
	return result, err
}

// engine returns the options of the engine: nothing is waited for between attempts unless servers
// answer them.
func (r *runner) engine(p *project.Project) []execution.Option {
	var opts []execution.Option
	if r.opts.Mode != Live {
		opts = append(opts, execution.WithSequentialParts())
	}
	if r.opts.Mode == Offline {
		opts = append(opts, execution.WithSleep(func(ctx context.Context, _ time.Duration) error { return ctx.Err() }))
	}
	if r.opts.Repeatable != nil {
		opts = append(opts, execution.WithRepeatable(r.opts.Repeatable(p)))
	}
	if r.opts.Effects != nil {
		opts = append(opts, execution.WithEffects(r.opts.Effects(p)))
	}
	return opts
}

// limited returns the graph with the limits of a case.
func limited(g *graph.Graph, c *Case) *graph.Graph {
	other := *g
	other.Limits = c.limits(g.Limits)
	return &other
}

// redactedValue returns a value without secrets, as clients get it.
func redactedValue(secrets *config.Secrets, v value.Value) value.Value {
	if secrets.Len() == 0 || v == nil {
		return v
	}
	src, err := value.Encode(v)
	if err != nil {
		return v
	}
	if hidden, err := value.Decode(secrets.RedactJSON(src)); err == nil {
		return hidden
	}
	return "[redacted]"
}

// clean replaces the paths of places in a result by their names, so that it is the same on
// every machine, and redacts secrets.
func (r *Result) clean(p places, secrets *config.Secrets) {
	if len(p) == 0 && secrets.Len() == 0 {
		return
	}
	value := func(v value.Value) value.Value { return redactedValue(secrets, p.empty(v)) }
	text := func(s string) string { return secrets.Redact(p.emptyText(s)) }
	r.Value, r.Failure = value(r.Value), text(r.Failure)
	// Diagnostics name the graph file as the suite does.
	r.Failure = strings.ReplaceAll(r.Failure, p.emptyText(r.Suite.Graph), r.Suite.Graph)
	for i := range r.Calls {
		call := &r.Calls[i]
		call.Args, call.Result = value(call.Args), value(call.Result)
		if call.Err != nil {
			e := toolErrorOf(call.Err)
			e.Message, e.Structured.Value, e.Result.Value = text(e.Message), value(e.Structured.Value), value(e.Result.Value)
			call.Err = e
		}
	}
	records := make([]execution.Record, len(r.Records))
	for i, record := range r.Records {
		record.Output = value(record.Output)
		records[i] = record
	}
	r.Records = records
}
