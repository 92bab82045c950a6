package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

type lockFlags struct {
	sessionFlags
	format       string
	only         []string
	check, learn bool
}

func newLock(std streams) *cobra.Command {
	flags := lockFlags{}
	cmd := &cobra.Command{
		Use:   "lock FILE",
		Short: "Lock the upstream tools that a graph file calls",
		Long: `Lock the upstream tools that a graph file calls: start their servers, read the definitions
of these tools, and write them to graph.lock.yaml beside graph.yaml. Commit that file.

The changes since the last lock are printed: each place in which a definition differs, and
the problems that they cause in this graph. serve --locked and run --locked refuse to call
a tool whose definition differs from the lock file, until it is reviewed and locked again.

With --check, write nothing, and exit with 1 when the lock file is missing or differs from
the definitions. With --learn, derive an outputSchema from recorded results for each tool
that declares none: from the cassettes that toolgraph test --record wrote beside the graph
file, and from recorded runs of the file. toolgraph check then validates against it.`,
		Example: `  toolgraph lock graph.yaml
  toolgraph lock graph.yaml --check            in CI
  toolgraph lock graph.yaml --server tracker   ask only this server
  toolgraph lock graph.yaml --learn`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringSliceVar(&flags.only, "server", nil, "ask only this `server`; may be repeated")
	cmd.Flags().BoolVar(&flags.check, "check", false, "write nothing; exit with 1 when the lock file is missing or stale")
	cmd.Flags().BoolVar(&flags.learn, "learn", false, "derive missing outputSchemas from recorded results")
	flags.register(cmd, "error")
	flags.history.registerState(cmd.Flags())
	formatFlag(cmd, &flags.format)
	return takesGraph(cmd, &flags.graph)
}

func (f *lockFlags) run(ctx context.Context, std streams) error {
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.close()
	p := l.Project
	wanted := lock.Called(p.Graphs)
	if err := f.checkServers(p, wanted); err != nil {
		return err
	}
	path := lock.Path(f.graph)
	older, err := f.older(std, path)
	if err != nil {
		return err
	}
	entries, invalid, err := lock.Ask(ctx, l.pool, p.File, p.Graphs, f.only)
	for i := range invalid {
		invalid[i].Severity = config.Error // an ambiguous tool cannot be locked
	}
	if err = errors.Join(err, invalid.Err()); err != nil {
		fmt.Fprintf(std.err, "toolgraph: %s\n", wording.Printable(p.File.Secrets.Redact(err.Error())))
		return errReported
	}
	newer := lock.Of(path, append(f.untouched(older, wanted), entries...)...).Recall(older)
	if f.learn {
		if newer, err = f.learned(ctx, newer, p, l.log); err != nil {
			return err
		}
	}
	findings, err := newFindings(ctx, p, older, newer)
	if err != nil {
		return err
	}
	report := lockReport{
		Lock: path, Missing: older == nil, Changes: older.Compare(newer), Findings: findings, Learned: f.learn,
	}
	if err := report.print(std.out, f.format, newer, p.File.Path); err != nil {
		return err
	}
	if !f.check {
		return newer.Write(path)
	}
	if report.stale() {
		fmt.Fprintf(std.err, "toolgraph: %s is %s; run: toolgraph lock %s\n", path, report.state(), f.graph)
		return errReported
	}
	return nil
}

// older returns the current lock, nil when it does not exist. A lock that contradicts itself is
// rejected when entries of it could remain.
func (f *lockFlags) older(std streams, path string) (*lock.Lock, error) {
	l, edited, err := lock.LoadToReplace(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // nothing is locked yet
	case err != nil:
		return nil, err
	case f.check || len(f.only) > 0:
		return l, edited.Err()
	}
	for i := range edited {
		edited[i].Severity = config.Warning // it is about to be rewritten
	}
	printDiagnostics(std.err, edited)
	return l, nil
}

// checkServers checks the names given with --server.
func (f *lockFlags) checkServers(p *project.Project, wanted map[string][]string) error {
	for _, name := range f.only {
		if wanted[name] != nil {
			continue
		}
		var called []string
		for _, u := range p.File.Servers {
			if wanted[u.Name.Value] != nil {
				called = append(called, u.Name.Value)
			}
		}
		return usagef("--server %s: the graphs of %s do not call this server%s", name, p.File.Path, wording.Suggest(name, called))
	}
	return nil
}

// untouched returns the entries that are still used, of servers that are not asked.
func (f *lockFlags) untouched(older *lock.Lock, wanted map[string][]string) []lock.Entry {
	if older == nil || len(f.only) == 0 {
		return nil
	}
	var entries []lock.Entry
	for _, e := range older.Entries {
		if !slices.Contains(f.only, e.Server) && slices.Contains(wanted[e.Server], e.Tool) {
			entries = append(entries, e)
		}
	}
	return entries
}

// lockReport is the result of locking.
type lockReport struct {
	Lock     string
	Missing  bool // there was no lock file
	Learned  bool // learned schemas count as changes
	Changes  []lock.Change
	Findings config.Diagnostics // that the changes cause in the graphs
}

// stale reports whether the lock file differs from the definitions of the servers.
func (r lockReport) stale() bool {
	return r.Missing || slices.ContainsFunc(r.Changes, func(c lock.Change) bool { return r.Learned || c.Kind != lock.Learned })
}

func (r lockReport) state() string {
	if r.Missing {
		return "missing"
	}
	return "stale"
}

func (r lockReport) print(w io.Writer, format string, now *lock.Lock, file string) error {
	if format == "json" {
		changes := r.Changes
		if changes == nil {
			changes = []lock.Change{}
		}
		return encodeJSON(w, struct {
			Lock     string        `json:"lock"`
			Stale    bool          `json:"stale"`
			Changes  []lock.Change `json:"changes"`
			Findings []finding     `json:"findings"`
		}{r.Lock, r.stale(), changes, findingsOf(r.Findings)})
	}
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s.%s\n", c.Kind, c.Server, c.Tool)
		for _, line := range c.Diff {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintf(&b, "with these definitions, %s has:\n%s\n", file, r.Findings.Error())
	}
	what := "no changes"
	if n := len(r.Changes); n > 0 {
		what = wording.Count(n, "change")
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", r.Lock, wording.Count(len(now.Entries), "tool"), what)
	_, err := io.WriteString(w, wording.Printable(b.String()))
	return err
}

// newFindings returns the findings of the graphs of a file with the newer lock that they do not
// have with the older.
func newFindings(ctx context.Context, p *project.Project, older, newer *lock.Lock) (config.Diagnostics, error) {
	before, err := lockFindings(ctx, p, older)
	if err != nil {
		return nil, err
	}
	now, err := lockFindings(ctx, p, newer)
	return slices.DeleteFunc(now, func(d config.Diagnostic) bool { return slices.Contains(before, d) }), err
}

// lockFindings returns the findings of the graphs of a file with a lock; nil for no lock.
func lockFindings(ctx context.Context, p *project.Project, l *lock.Lock) (config.Diagnostics, error) {
	var found config.Diagnostics
	if l != nil {
		found = l.Check(p.File, p.Graphs)
	}
	return p.CheckWith(ctx, found, l)
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
