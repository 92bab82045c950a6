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
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// Health is what a doctor finds.
type Health struct {
	Healthy bool    `json:"healthy"` // no check has failed
	Checks  []Check `json:"checks"`
}

// Check is one thing that was looked at.
type Check struct {
	Name   string  `json:"name"`
	Result Verdict `json:"result"`
	Detail string  `json:"detail"`
}

// Verdict is how a check came out.
type Verdict string

// The verdicts.
const (
	Good Verdict = "ok"
	Odd  Verdict = "warning" // works, and may not be what is wanted
	Bad  Verdict = "failed"
)

// Doctor looks at whether the file can be served here: whether it loads, the commands of
// its servers are installed, its lock fits, and runs can be kept. It starts nothing.
func (i *Inspector) Doctor(ctx context.Context) (*Health, error) {
	h := &Health{Checks: []Check{}}
	h.add("version", Good, "toolgraph "+i.Version)
	if i.File != "" {
		p, whole := i.checkFile(ctx, h)
		if p != nil {
			i.checkServers(h, p)
		}
		if whole { // else calls may be missing in the graphs
			checkLock(h, p)
		}
	}
	i.checkStore(ctx, h)
	h.Healthy = true
	for _, c := range h.Checks {
		h.Healthy = h.Healthy && c.Result != Bad
	}
	return h, nil
}

func (h *Health) add(name string, v Verdict, detail string) {
	h.Checks = append(h.Checks, Check{Name: name, Result: v, Detail: detail})
}

// checkFile is the file as far as it is understood, nil when it is not, and whether its
// graphs are good. A variable that is not set is a check of its own: the rest of the file
// is looked at all the same.
func (i *Inspector) checkFile(ctx context.Context, h *Health) (p *project.Project, whole bool) {
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
	switch {
	case len(mistakes) > 0:
		h.add("graph file", Bad, fmt.Sprintf("%s has %s, the first is %s; toolgraph check tells all", i.File, wording.Count(len(mistakes), "error"), mistakes[0]))
	case len(p.Warnings) > 0:
		h.add("graph file", Odd, fmt.Sprintf("%s has %s, the first is %s; toolgraph check tells all", i.File, wording.Count(len(p.Warnings), "warning"), p.Warnings[0]))
	case len(unset) > 0:
		h.add("graph file", Good, fmt.Sprintf("%s loads when its variables are set, with %s", i.File, wording.Count(len(p.Graphs), "tool")))
	default:
		h.add("graph file", Good, fmt.Sprintf("%s loads, with %s", i.File, wording.Count(len(p.Graphs), "tool")))
	}
	const most = 20
	for n, d := range unset {
		if n == most {
			h.add("variable", Bad, fmt.Sprintf("and %d more are not set; toolgraph check reports all", len(unset)-most))
			break
		}
		h.add("variable", Bad, d.String())
	}
	return p, p != nil && len(mistakes) == 0
}

func (i *Inspector) checkServers(h *Health, p *project.Project) {
	for _, u := range p.File.Servers {
		name := "server " + u.Name.Value
		switch {
		case u.Transport != config.Stdio:
			h.add(name, Good, "reached over "+string(u.Transport)+"; whether it answers was not tried")
		case i.Command == nil:
			h.add(name, Odd, "whether its command is installed was not looked at")
		default:
			path, err := i.Command(u)
			if err != nil {
				h.add(name, Bad, p.File.Secrets.Redact(err.Error()))
				continue
			}
			h.add(name, Good, p.File.Secrets.Redact(path))
		}
	}
}

func checkLock(h *Health, p *project.Project) {
	path := lock.Path(p.File.Path)
	l, err := lock.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		h.add("lock", Good, "there is none; toolgraph lock pins the tools that are called")
		return
	}
	if err != nil {
		h.add("lock", Bad, firstLine(err))
		return
	}
	if found := l.Check(p.File, p.Graphs); len(found) > 0 {
		v := Odd
		if found.Err() != nil {
			v = Bad
		}
		h.add("lock", v, found[0].String())
		return
	}
	h.add("lock", Good, path+" is of this file")
}

func (i *Inspector) checkStore(ctx context.Context, h *Health) {
	switch {
	case i.NoStore != nil:
		h.add("kept runs", Bad, firstLine(i.NoStore))
		return
	case i.Store == nil:
		h.add("kept runs", Odd, "none are kept")
		return
	}
	state, err := i.Store.State(ctx)
	switch {
	case err != nil:
		h.add("kept runs", Bad, firstLine(err))
	case !state.Exists:
		if err := canMake(filepath.Dir(state.Path)); err != nil {
			h.add("kept runs", Bad, fmt.Sprintf("%s cannot be made: %v; name another place with --state", state.Path, err))
			return
		}
		h.add("kept runs", Good, fmt.Sprintf("%s is made with the first run", state.Path))
	case state.Readable:
		h.add("kept runs", Odd, fmt.Sprintf("%s can be read by other users; run: chmod go-rwx on it and its directory", state.Path))
	default:
		h.add("kept runs", Good, fmt.Sprintf("%s has %s in %.1f MiB", state.Path, wording.Count(state.Runs, "run"), float64(state.Bytes)/(1<<20)))
	}
}

// canMake tells why a directory, or something in it, could not be made. It tries so in
// the directory, or the nearest above that there is, and leaves nothing behind.
func canMake(dir string) error {
	for {
		trial, err := os.MkdirTemp(dir, ".toolgraph-doctor-*")
		if err == nil {
			return os.Remove(trial)
		}
		above := filepath.Dir(dir)
		if _, missing := os.Stat(dir); !errors.Is(missing, fs.ErrNotExist) || above == dir {
			return firstCause(err)
		}
		dir = above
	}
}

// firstCause is an error without the path of the trial, which nobody asked for.
func firstCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
