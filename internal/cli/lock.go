package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

type lockFlags struct {
	sessionFlags
	format       string
	only         []string
	check, learn bool
	force        bool
}

// links returns which symbolic links the lock file may be: its name is not the user's.
func (f *lockFlags) links() files.Links {
	if f.force {
		return files.AnyLinks
	}
	return files.NoLinks
}

func newLock(std program.Streams) *cobra.Command {
	flags := lockFlags{}
	cmd := &cobra.Command{
		Use:   "lock FILE",
		Short: "Lock the upstream tools that a graph file calls",
		Long: `Lock the upstream tools that a graph file calls: start their servers, read the definitions
of these tools, and write them to graph.lock.yaml beside graph.yaml. Commit that file. The tools
that calls of the pipeline names are among them, also all that a pattern such as chat.* matches.

The changes since the last lock are printed: each place in which a definition differs, and
the problems that they cause in this graph. serve --locked and run --locked refuse to call
a tool whose definition differs from the lock file, until it is reviewed and locked again.

The lock file also has what each tool can do: the upstream tools that it calls with their
effects, whether it asks the user, and the environment variables that servers read.

With --check, write nothing, and exit with 1 when the lock file is missing, differs from
the definitions, or the tools can do more than it has. With --learn, derive an outputSchema from recorded results for each tool
that declares none: from the cassettes that toolgraph test --record wrote beside the graph
file, and from recorded runs of the file. toolgraph check then validates against it.`,
		Example: `  toolgraph lock graph.yaml
  toolgraph lock graph.yaml --check            in CI
  toolgraph lock graph.yaml --server tracker   ask only this server
  toolgraph lock graph.yaml --learn`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringSliceVar(&flags.only, "server", nil, "ask only this `server`; may be repeated")
	cmd.Flags().BoolVar(&flags.check, "check", false, "write nothing; exit with 1 when the lock file is missing or stale")
	cmd.Flags().BoolVar(&flags.force, "force", false, "write the lock file also where it is a symbolic link")
	cmd.Flags().BoolVar(&flags.learn, "learn", false, "derive missing outputSchemas from recorded results")
	flags.Register(cmd, "error")
	flags.Vars.Register(cmd)
	flags.History.RegisterState(cmd.Flags())
	program.FormatFlag(cmd, &flags.format)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *lockFlags) run(ctx context.Context, std program.Streams) error {
	f.lists = true
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.Close()
	p := l.Project
	wanted := lock.Called(p.Graphs)
	var steps lock.Steps
	for _, g := range p.Offering() {
		steps = append(steps, lock.StepsOf(g)...)
	}
	if err := f.checkServers(p, wanted, steps); err != nil {
		return err
	}
	path := lock.Path(f.Graph)
	if !f.check {
		if err := f.links().Check(path); err != nil {
			return linkError(err, followIt)
		}
	}
	older, err := f.older(std, path)
	if err != nil {
		return err
	}
	asking := newListing(std.Err, p.File.Path, l.Pool)
	entries, invalid, err := lock.Ask(ctx, asking, p.File, p.Graphs, steps, f.only)
	asking.shown.clear()
	for i := range invalid {
		invalid[i].Severity = config.Error // an ambiguous tool cannot be locked
	}
	if err = errors.Join(err, invalid.Err()); err != nil {
		fmt.Fprintf(std.Err, "toolgraph: %s\n", wording.Printable(p.File.Secrets.Redact(err.Error())))
		return program.ErrReported
	}
	newer := lock.Of(path, append(f.untouched(older, wanted, steps), entries...)...).Recall(older)
	if f.learn {
		if newer, err = f.learned(ctx, newer, p, l.Log); err != nil {
			return err
		}
	}
	newer.Capabilities = newer.Derive(p.File, p.Graphs)
	findings, err := newFindings(ctx, p, older, newer)
	if err != nil {
		return err
	}
	report := lockReport{
		Lock: path, Missing: older == nil, Changes: older.Compare(newer), Findings: findings, Learned: f.learn,
	}
	report.compare(older, newer)
	if err := report.print(std.Out, f.format, newer, p.File.Path); err != nil {
		return err
	}
	if !f.check {
		return newer.Write(path, f.links())
	}
	if report.stale() {
		fmt.Fprintf(std.Err, "toolgraph: %s is %s; run: toolgraph lock %s\n", path, report.state(), f.Graph)
		return program.ErrReported
	}
	switch {
	case report.Uncounted:
		fmt.Fprintf(std.Err, "toolgraph: %s does not have what the tools can do, because an older version wrote it; to add it, run: toolgraph lock %s\n", path, f.Graph)
	case len(report.Less) > 0:
		fmt.Fprintf(std.Err, "toolgraph: the tools can do less than %s has, which is no failure; to update it, run: toolgraph lock %s\n", path, f.Graph)
	}
	return nil
}

// older returns the current lock, nil when it does not exist. A lock that contradicts itself is
// rejected when entries of it could remain.
func (f *lockFlags) older(std program.Streams, path string) (*lock.Lock, error) {
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
	program.PrintDiagnostics(std.Err, edited)
	return l, nil
}

// checkServers checks the names given with --server.
func (f *lockFlags) checkServers(p *project.Project, wanted map[string][]string, steps lock.Steps) error {
	calls := func(server string) bool { return wanted[server] != nil || steps.CallServer(server) }
	for _, name := range f.only {
		if calls(name) {
			continue
		}
		var called []string
		for _, u := range p.File.Servers {
			if calls(u.Name.Value) {
				called = append(called, u.Name.Value)
			}
		}
		return program.Usagef("--server %s: the graphs of %s do not call this server%s", name, p.File.Path, wording.Suggest(name, called))
	}
	return nil
}

// untouched returns the entries that are still used, of servers that are not asked.
func (f *lockFlags) untouched(older *lock.Lock, wanted map[string][]string, steps lock.Steps) []lock.Entry {
	if older == nil || len(f.only) == 0 {
		return nil
	}
	var entries []lock.Entry
	for _, e := range older.Entries {
		if !slices.Contains(f.only, e.Server) && (slices.Contains(wanted[e.Server], e.Tool) || steps.Call(e.Server, e.Tool)) {
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

	Uncounted  bool     // there was a lock file, and it had no capabilities
	More, Less []string // what the tools can do now and could not before, and the reverse; a line each
}

// compare sets what the tools can do now and could not before, and the reverse.
func (r *lockReport) compare(older, newer *lock.Lock) {
	if older == nil {
		return
	}
	if r.Uncounted = older.Capabilities == nil; r.Uncounted {
		return
	}
	lines := func(of, than *lock.Lock, verb string) (lines []string) {
		for _, more := range of.Capabilities.Beyond(than.Capabilities) {
			line := more.Text
			if more.Else != "" {
				line += fmt.Sprintf(" (%s %s)", verb, more.Else)
			}
			lines = append(lines, line)
		}
		return lines
	}
	r.More, r.Less = lines(newer, older, "was"), lines(older, newer, "now")
}

// stale reports whether the lock file differs from the definitions of the servers, or the tools
// can do more than it has.
func (r lockReport) stale() bool {
	return r.Missing || len(r.More) > 0 || slices.ContainsFunc(r.Changes, func(c lock.Change) bool { return r.Learned || c.Kind != lock.Learned })
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
		return program.EncodeJSON(w, struct {
			Lock     string        `json:"lock"`
			Stale    bool          `json:"stale"`
			Changes  []lock.Change `json:"changes"`
			More     []string      `json:"more,omitempty"`
			Less     []string      `json:"less,omitempty"`
			Findings []finding     `json:"findings"`
		}{r.Lock, r.stale(), changes, r.More, r.Less, findingsOf(r.Findings)})
	}
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s.%s\n", c.Kind, c.Server, c.Tool)
		for _, line := range c.Diff {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, what := range []struct {
		title, sign string
		lines       []string
	}{{"the tools can do more", "+", r.More}, {"the tools can do less", "-", r.Less}} {
		for i, line := range what.lines {
			if i == 0 {
				fmt.Fprintln(&b, what.title)
			}
			fmt.Fprintf(&b, "  %s %s\n", what.sign, wording.OneLine(line))
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintf(&b, "with these definitions, %s has:\n%s\n", file, r.Findings.Error())
	}
	what := "no changes"
	switch n := len(r.Changes); {
	case n > 0:
		what = wording.Count(n, "change")
	case len(r.More)+len(r.Less) > 0:
		what = "only what the graphs do with them has changed"
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
	return slices.DeleteFunc(now, func(d config.Diagnostic) bool { return slices.ContainsFunc(before, d.Same) }), err
}

// lockFindings returns the findings of the graphs of a file with a lock; nil for no lock.
func lockFindings(ctx context.Context, p *project.Project, l *lock.Lock) (config.Diagnostics, error) {
	var found config.Diagnostics
	if l != nil {
		found = l.Check(p.File, p.Graphs)
	}
	return p.CheckWith(ctx, found, l)
}
