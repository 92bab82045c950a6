package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

// Health is the result of the checks of Doctor.
type Health struct {
	Healthy bool    `json:"healthy"` // no check has failed
	Checks  []Check `json:"checks"`
}

// Check is the result of one check.
type Check struct {
	Name   string  `json:"name"`
	Result Verdict `json:"result"`
	Detail string  `json:"detail"`
}

// Verdict is the verdict of a check.
type Verdict string

// The verdicts.
const (
	Good Verdict = "ok"
	Odd  Verdict = "warning" // works, but may be a mistake
	Bad  Verdict = "failed"
)

// Doctor checks whether the file can be served on this machine: whether it loads, the
// commands of its servers are installed, its lock matches, and runs can be recorded. It
// starts nothing.
func (i *Inspector) Doctor(ctx context.Context) (*Health, error) {
	h := &Health{Checks: []Check{}}
	h.add("version", Good, "toolgraph "+i.Version)
	if i.File != "" {
		p, valid := i.checkFile(ctx, h)
		if p != nil {
			i.checkServers(h, p)
		}
		if valid { // else calls may be missing in the graphs
			checkLock(h, p)
		}
	}
	v, detail := i.storeHealth(ctx)
	h.add("run history", v, detail)
	h.Healthy = true
	for _, c := range h.Checks {
		h.Healthy = h.Healthy && c.Result != Bad
	}
	return h, nil
}

func (h *Health) add(name string, v Verdict, detail string) {
	h.Checks = append(h.Checks, Check{Name: name, Result: v, Detail: detail})
}

// checkFile returns the file as far as it can be understood, nil when it cannot, and
// whether its graphs have no errors. A variable that is not set is a check of its own: the
// rest of the file is checked all the same.
func (i *Inspector) checkFile(ctx context.Context, h *Health) (p *project.Project, valid bool) {
	p, err := i.load(ctx)
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) {
		h.add("graph file", Bad, err.Error())
		return nil, false
	}
	var mistakes, unset config.Diagnostics
	for _, d := range found {
		switch {
		case d.Severity != config.Error:
		case d.Code == "unset-variable":
			unset = append(unset, d)
		default:
			mistakes = append(mistakes, d)
		}
	}
	report := func(v Verdict, found config.Diagnostics, noun string) {
		h.add("graph file", v, fmt.Sprintf("%s has %s, the first is %s; toolgraph check lists all", i.File, wording.Count(len(found), noun), found[0]))
	}
	switch {
	case len(mistakes) > 0:
		report(Bad, mistakes, "error")
	case len(p.Warnings) > 0:
		report(Odd, p.Warnings, "warning")
	case len(unset) > 0:
		h.add("graph file", Good, fmt.Sprintf("%s loads when its variables are set, with %s", i.File, wording.Count(len(p.Graphs), "tool")))
	default:
		h.add("graph file", Good, fmt.Sprintf("%s loads, with %s", i.File, wording.Count(len(p.Graphs), "tool")))
	}
	const most = 20
	for _, d := range unset[:min(len(unset), most)] {
		h.add("variable", Bad, d.String())
	}
	if len(unset) > most {
		h.add("variable", Bad, fmt.Sprintf("%d more are not set; toolgraph check lists all", len(unset)-most))
	}
	return p, p != nil && len(mistakes) == 0
}

func (i *Inspector) checkServers(h *Health, p *project.Project) {
	for _, u := range p.File.Servers {
		name := "server " + u.Name.Value
		switch u.Transport {
		case config.Stdio:
			i.checkCommand(h, p, name, u)
		case config.Exec:
			h.add(name, Good, "starts programs, which serve, run and the entry of a host do with --allow-exec only: toolgraph config HOST FILE --allow-exec --write")
			for _, program := range u.Programs {
				i.checkCommand(h, p, "program "+u.Name.Value+"."+program.Name.Value, u.Starting(program))
			}
		case config.StreamableHTTP, config.SSE:
			h.add(name, Good, "reached over "+string(u.Transport)+"; not connected by this check")
		}
	}
}

// checkCommand checks whether the command of a server over stdio, or of a program, is installed.
func (i *Inspector) checkCommand(h *Health, p *project.Project, name string, u *config.Upstream) {
	if i.Command == nil {
		h.add(name, Odd, "not checked whether its command is installed")
		return
	}
	v := Good
	detail, err := i.Command(u)
	if err != nil {
		v, detail = Bad, err.Error()
	}
	h.add(name, v, p.File.Secrets.Redact(detail))
}

func checkLock(h *Health, p *project.Project) {
	path := lock.Path(p.File.Path)
	l, err := lock.Load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.add("lock", Good, "no lock file; toolgraph lock writes one that pins the tools that are called")
	case err != nil:
		h.add("lock", Bad, firstLine(err))
	default:
		v, detail := Good, path+" matches the graph file"
		if found := l.Check(p.File, p.Graphs); len(found) > 0 {
			v, detail = Odd, found[0].String()
			if found.Err() != nil {
				v = Bad
			}
		}
		h.add("lock", v, detail)
	}
}

// storeHealth checks whether runs can be recorded.
func (i *Inspector) storeHealth(ctx context.Context) (Verdict, string) {
	switch {
	case i.NoStore != nil:
		return Bad, firstLine(i.NoStore)
	case i.Store == nil:
		return Odd, "runs are not recorded"
	}
	state, err := i.Store.State(ctx)
	switch {
	case err != nil:
		return Bad, firstLine(err)
	case !state.Exists && state.Remote:
		return Good, fmt.Sprintf("%s is reached; its tables are created with the first run", state.Path)
	case !state.Exists:
		if err := canMake(filepath.Dir(state.Path)); err != nil {
			return Bad, fmt.Sprintf("%s cannot be created: %v; name another directory with --state", state.Path, err)
		}
		return Good, fmt.Sprintf("%s is created with the first run", state.Path)
	case state.Readable:
		return Odd, fmt.Sprintf("%s can be read by other users; run: chmod go-rwx on it and its directory", state.Path)
	}
	detail := fmt.Sprintf("%s has %s in %.1f MiB", state.Path, wording.Count(state.Runs, "run"), float64(state.Bytes)/(1<<20))
	if state.HasKeep {
		detail += fmt.Sprintf("; its policy keeps %s", state.Keep)
	}
	if state.Old > 0 {
		detail += fmt.Sprintf("; old, but not deleted because they can continue: %s, see toolgraph runs list --old", wording.Count(state.Old, "run"))
	}
	return Good, detail
}

// canMake returns why a directory, or something in it, cannot be created. It tries so in
// the directory, or the nearest above that exists, and leaves nothing there.
func canMake(dir string) error {
	for {
		trial, err := os.MkdirTemp(dir, ".toolgraph-doctor-*")
		if err == nil {
			return os.Remove(trial)
		}
		above := filepath.Dir(dir)
		if _, missing := os.Stat(dir); !errors.Is(missing, fs.ErrNotExist) || above == dir {
			var path *fs.PathError
			if errors.As(err, &path) {
				return path.Err // without the path of the trial, which is of no interest
			}
			return err
		}
		dir = above
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
