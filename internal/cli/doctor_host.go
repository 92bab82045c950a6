package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime"
)

// hostCheck is what doctor --host prints of one thing.
type hostCheck struct {
	Result string `json:"result"` // ok, failed, or stays
	What   string `json:"name"`
	Detail string `json:"detail"`
}

// checkHost checks, after an adoption, whether the host can do all that it could before: its one entry starts this program,
// each variable has a value, each server starts, and its tools are those that are locked. Before an adoption it says what
// would stay. It reports whether all is well.
func checkHost(ctx context.Context, std program.Streams, name, format string) (healthy bool, err error) {
	host, err := hostNamed(name)
	if err != nil {
		return false, err
	}
	r, err := registry.OfUser()
	if err != nil {
		return false, err
	}
	state, err := adopt.StateOf(host, r)
	if err != nil {
		return false, err
	}
	var checks []hostCheck
	if state == nil {
		checks, err = wouldStay(ctx, std, host)
	} else {
		checks, err = checkAdopted(ctx, std, host, state)
	}
	if err != nil {
		return false, err
	}
	healthy = !slices.ContainsFunc(checks, func(c hostCheck) bool { return c.Result == "failed" })
	if format == "json" {
		report := map[string]any{"host": host.Name, "adopted": state != nil, "healthy": healthy, "checks": checks}
		if state != nil {
			report["graph"] = state.Graph
		}
		return healthy, program.WriteEscaped(std.Out, report, "  ")
	}
	rows := make([][]string, len(checks))
	for i, c := range checks {
		rows[i] = []string{c.Result, c.What, c.Detail}
	}
	return healthy, program.WriteTable(std.Out, rows)
}

// wouldStay says what adopting would do with each server.
func wouldStay(ctx context.Context, std program.Streams, host *hostconfig.Host) ([]hostCheck, error) {
	f := adoptFlags{}
	a, err := f.readAdoption(host)
	if err != nil {
		return nil, err
	}
	tried, err := f.try(ctx, std, a)
	if err != nil {
		return nil, err
	}
	defer tried.end()
	checks := []hostCheck{}
	for _, s := range a.Servers {
		if s.Stays != "" {
			checks = append(checks, hostCheck{"stays", s.Name, s.Stays})
		} else {
			checks = append(checks, hostCheck{"ok", s.Name, "can be adopted: " + wording.Count(len(tried.listed[s.As]), "tool")})
		}
	}
	return checks, nil
}

// checkAdopted checks an adoption.
func checkAdopted(ctx context.Context, std program.Streams, host *hostconfig.Host, state *adopt.State) (checks []hostCheck, err error) {
	note := func(name string, failed error, detail string) {
		if failed != nil {
			checks = append(checks, hostCheck{"failed", name, wording.OneLine(failed.Error())})
			return
		}
		checks = append(checks, hostCheck{"ok", name, detail})
	}
	command, env, err := state.Entry()
	if err == nil {
		_, err = os.Stat(command)
	}
	if note("entry", err, fmt.Sprintf("%s of %s starts %s", wording.Quote(state.Name), state.File, command)); err != nil {
		return checks, nil
	}
	values, missing := map[string]string{}, []string{}
	for _, v := range env {
		value, known := host.Resolve(v.Value, os.LookupEnv)
		if own, set := os.LookupEnv(v.Name); !known && set {
			value, known = own, true
		}
		if !known || strings.HasPrefix(value, "<") {
			missing = append(missing, v.Name)
		}
		values[v.Name] = value
	}
	if len(missing) > 0 {
		note("variables", fmt.Errorf("no value is known here of %s; set them here, or ask the host", strings.Join(missing, ", ")), "")
		return checks, nil
	}
	note("variables", nil, wording.Count(len(env), "value"))
	f := adoptFlags{}
	f.Graph, f.Locked, f.lists = state.Graph, true, true
	o, err := f.process(std)
	if err != nil {
		return nil, err
	}
	o.File = config.Options{LookupEnv: func(name string) (string, bool) {
		if value, has := values[name]; has {
			return value, true
		}
		return os.LookupEnv(name)
	}}
	p, err := project.Load(ctx, o.Graph, o.File)
	if err != nil {
		note("graph file", err, "")
		return checks, nil
	}
	l, err := runtime.Start(ctx, o, p)
	if err != nil {
		note("lock", err, "")
		return checks, nil
	}
	defer l.Close()
	asking := newListing(std.Err, host.Title, l.Pool)
	defer asking.shown.clear()
	for _, u := range p.File.Servers {
		detail, err := reached(ctx, l, asking, u.Name.Value)
		note(u.Name.Value, err, detail)
	}
	return checks, nil
}

// reached starts a server and compares its tools with the locked ones.
func reached(ctx context.Context, l *runtime.Loaded, asking lock.Lister, server string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, triedTime)
	defer stop()
	begin := time.Now()
	tools, err := asking.ListTools(ctx, server)
	if err != nil {
		return "", fmt.Errorf("%s", l.File.Secrets.Redact(err.Error()))
	}
	locked, changed := 0, []string{}
	for i := range l.Lock.Entries {
		if l.Lock.Entries[i].Server == server {
			locked++
		}
	}
	for _, tool := range tools {
		if e, known := l.Lock.Entry(server, tool.Name); known && lock.Pin(upstreamOf(l.File, server), tool, l.File.Secrets).Hash != e.Hash {
			changed = append(changed, tool.Name)
		}
	}
	if len(changed) > 0 || locked > len(tools) {
		return "", fmt.Errorf("its tools are not those that are locked (%s); review them with toolgraph lock %s", strings.Join(append(changed, wording.Count(len(tools), "tool")+" of "+fmt.Sprint(locked)), ", "), l.File.Path)
	}
	return fmt.Sprintf("%s of %d locked, after %d ms", wording.Count(len(tools), "tool"), locked, time.Since(begin).Milliseconds()), nil
}

func upstreamOf(file *config.File, name string) *config.Upstream {
	return file.Servers[slices.IndexFunc(file.Servers, func(u *config.Upstream) bool { return u.Name.Value == name })]
}
