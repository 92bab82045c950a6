package authoring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
	"toolgraph/internal/project/capabilities"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// checkResult is all findings about a tool, or about a whole file.
type checkResult struct {
	Valid       bool      `json:"valid"` // no finding is an error
	Diagnostics []finding `json:"diagnostics"`
}

// checkGraphTool checks the tool that is named or given, or the whole file when neither is.
func (r *request) checkGraphTool(ctx context.Context) (any, error) {
	files, name := r.snapshot, ""
	var found config.Diagnostics
	var err error
	if r.Text("toolName") != "" || r.Get("toolDefinition") != nil {
		if files, name, err = r.subject(); errors.As(err, &found) {
			files, name = r.snapshot, ""
		}
	}
	if err == nil {
		found, err = r.check(ctx, files, name)
	}
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	findings := files.findings(found, name)
	if findings == nil {
		findings = []finding{}
	}
	return checkResult{Valid: found.Err() == nil, Diagnostics: findings}, nil
}

func (r *request) check(ctx context.Context, files *snapshot, name string) (config.Diagnostics, error) {
	p, err := files.checked(ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		if _, err := graphOf(p, name); err != nil {
			return nil, err
		}
	}
	return r.warnings(ctx, p, name)
}

// warnings returns the findings about a file that can be served, and what goes wrong in a
// run of the tool of this name, or of any when it is "". The error is the cause of ctx's
// end.
func (r *request) warnings(ctx context.Context, p *project.Project, name string) (config.Diagnostics, error) {
	upstreams := r.upstreams()
	upstreams.trusts = p.File.Trusts
	asked := slices.DeleteFunc(slices.Clone(p.Graphs), func(g *graph.Graph) bool { return name != "" && g.Tool.Name.Value != name })
	offline, unlisted := lock.NewOffline(upstreams.lock, p.File, asked)
	upstreams.offline = offline
	found, err := flow.CheckAll(ctx, asked, upstreams)
	if err != nil {
		return nil, err
	}
	found = append(found, p.Warnings...)
	for _, g := range asked {
		found = append(found, upstreams.unknownTools(g)...)
	}
	if upstreams.pool == nil {
		found = append(found, unlisted...)
	}
	found.Sort()
	return found, nil
}

// upstreams is what is known of upstream tools without asking a server: the lists of
// servers that run, else the lock beside the graph file, else the lists of synced servers.
type upstreams struct {
	pool *mcpclient.Pool // nil: no server was started yet
	lock *lock.Lock      // nil when there is no readable lock

	offline *lock.Offline // nil: the lock alone

	trusts func(server string) bool // nil: no server is trusted
}

func (k *Toolkit) upstreams() upstreams {
	locked, _ := lock.Load(lock.Path(k.opts.Graph)) // toolgraph check reports its errors
	return upstreams{pool: k.pools.Current(), lock: locked}
}

// Tool returns a tool as its server listed it last, else as it is locked or synced.
func (u upstreams) Tool(server, tool string) (flow.Tool, bool) {
	if u.pool != nil {
		if t, ok := u.pool.Known(server, tool); ok {
			hints := lock.HintsOf(t.Annotations)
			return u.lock.Believe(server, tool, flow.Tool{
				InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, From: "server " + server,
				ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, Idempotent: hints.Idempotent,
			}, u.trusts != nil && u.trusts(server)), true
		}
	}
	if u.offline != nil {
		return u.offline.Tool(server, tool)
	}
	return u.lock.Tool(server, tool)
}

// believed returns what calls do as far as that is believed: by the lock, else by the list of a
// running server that the file trusts.
func (u upstreams) believed(file *config.File) capabilities.Known {
	return func(server, tool string) (config.Effect, capabilities.Source) {
		if _, locked := u.lock.Entry(server, tool); locked {
			return u.lock.Effect(server, tool)
		}
		trusted := slices.ContainsFunc(file.Servers, func(s *config.Upstream) bool { return s.Name.Value == server && s.Trusted })
		if trusted && u.pool != nil {
			if listed, known := u.pool.Known(server, tool); known {
				return lock.HintsOf(listed.Annotations).Effect(), capabilities.ByServer
			}
		}
		return "", ""
	}
}

// unknownTools returns a finding for each call of a tool that its server, which has listed
// its tools, does not have.
func (u upstreams) unknownTools(g *graph.Graph) config.Diagnostics {
	var found config.Diagnostics
	for _, call := range g.Calls() {
		if u.pool == nil {
			break
		}
		if call.Graph != "" { // reported for that tool
			continue
		}
		if names := u.pool.KnownTools(call.Server); names != nil && !slices.Contains(names, call.Tool) {
			found = append(found, lock.UnknownTool(call, names))
		}
	}
	return found
}

// finding is a diagnostic for an agent, which knows the tool's definition better than
// the lines of a file.
type finding struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Node     string `json:"node,omitempty"`
	Path     string `json:"path,omitempty"`   // in the definition: nodes[2].transform.expr
	Source   string `json:"source,omitempty"` // the line of the file
	File     string `json:"file,omitempty"`   // when it is not the graph file
}

// findings returns the diagnostics that concern a tool of this name: all errors, since any
// of them prevents saving, and the warnings about it. "" is for all.
func (s *snapshot) findings(found config.Diagnostics, name string) (all []finding) {
	root, _ := config.ParseData(s.path, s.src)
	lines := strings.Split(string(s.src), "\n")
	for _, d := range found {
		f := finding{Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint, Line: d.Pos.Line, Column: d.Pos.Column}
		if d.Pos.File != s.path {
			f.File = d.Pos.File
		} else if path := pathTo(root, d.Pos); len(path) > 2 && path[0] == "tools" {
			f.locate(root, path)
			if 0 < d.Pos.Line && d.Pos.Line <= len(lines) {
				f.Source = strings.TrimSpace(lines[d.Pos.Line-1])
			}
		}
		if name == "" || d.Severity == config.Error || f.Tool == name {
			all = append(all, f)
		}
	}
	return all
}

// locate sets the tool, the node and the path of a place in the list of tools.
func (f *finding) locate(root *config.Data, path []any) {
	f.Tool, _ = root.At(path[:2]...).Get("name").Value().(string)
	if len(path) > 3 && path[2] == "nodes" {
		f.Node, _ = root.At(path[:4]...).Get("id").Value().(string)
	}
	for _, step := range path[2:] {
		switch step := step.(type) {
		case int:
			f.Path += fmt.Sprintf("[%d]", step)
		case string:
			f.Path += "." + step
		}
	}
	f.Path = strings.TrimPrefix(f.Path, ".")
}

// pathTo returns the path to the innermost part of the data that has a place.
func pathTo(d *config.Data, at config.Pos) (path []any) {
	for d != nil && len(d.Items) > 0 {
		i := len(d.Items) - 1
		for ; i >= 0; i-- {
			begin := d.Items[i].Pos
			if d.Kind == config.KindObject {
				begin = d.Keys[i].Pos
			}
			if begin.Line < at.Line || begin.Line == at.Line && begin.Column <= at.Column {
				break
			}
		}
		if i < 0 {
			break
		}
		if d.Kind == config.KindObject {
			path = append(path, d.Keys[i].Value)
		} else {
			path = append(path, i)
		}
		d = d.Items[i]
	}
	return path
}

// text returns findings as lines, those in a definition with their path in it.
func (s *snapshot) text(found config.Diagnostics) string {
	var lines []string
	for _, f := range s.findings(found, "") {
		where := fmt.Sprintf("line %d, column %d", f.Line, f.Column)
		if f.File != "" {
			where = f.File + ", " + where
		}
		if f.Path != "" {
			where = fmt.Sprintf("tool %q, %s", f.Tool, f.Path)
		}
		line := fmt.Sprintf("- %s: %s", where, f.Message)
		if f.Hint != "" {
			line += "; " + f.Hint
		}
		lines = append(lines, line+" ["+f.Code+"]")
	}
	return strings.Join(slices.Compact(lines), "\n")
}
