package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
)

// union is the graph files of a process as one server: what any of them offers. Their tools have different names. Safe for
// concurrent use.
type union struct {
	set *fileSet
	srv *server.Server

	mu    sync.Mutex // guards what follows
	parts map[string]part
}

// part is what a graph file offers.
type part struct {
	mount   *mount
	tools   []server.Tool
	secrets *config.Secrets
}

// open makes the server, once all files are loaded.
func (u *union) open() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	opts := server.Options{
		Info: u.info(), Logger: u.set.session.Log, ToolHints: u.hints, WindDown: u.set.given.Grace + finishTime,
		Resources: unionResources{u}, ResourcesChange: true, Prompts: unionPrompts{u}, Complete: u.complete,
	}
	var err error
	if opts.Tools, opts.Secrets, err = u.tools(); err != nil {
		return err
	}
	if u.set.how.HTTP {
		opts.Grace = u.set.how.HTTPGrace
	}
	s := u.set.session
	if s.telemetry != nil {
		opts.Observer = s.telemetry
	}
	if s.History != nil {
		opts.Tasks = unionTasks{u}
	}
	for _, p := range u.parts {
		if opts.App == nil {
			opts.App = p.mount.current.Load().app()
		}
	}
	if s.fleet != nil && u.set.how.HTTP {
		opts.Fleet = s.fleet
	}
	if u.srv, err = server.New(opts); err == nil && s.fleet != nil {
		s.fleet.serves(u.srv) // until the process ends
	}
	return err
}

// info introduces the files: with their own instructions, each under the name of its server. u.mu is held.
func (u *union) info() server.Info {
	info := server.Info{Name: "toolgraph", Version: u.set.given.Version}
	var texts, titles []string
	for _, name := range slices.Sorted(maps.Keys(u.parts)) {
		of := u.parts[name].mount.current.Load().File.Server
		title := of.Title.Value
		if title == "" {
			title = of.Name.Value
		}
		titles = append(titles, title)
		if of.Instructions.Value != "" {
			texts = append(texts, "## "+title+"\n\n"+of.Instructions.Value)
		}
	}
	info.Title, info.Instructions = strings.Join(titles, ", "), strings.Join(texts, "\n\n")
	return info
}

// between separates the name of a file from that of its server in the calls of a tool; no name has it.
const between = "\x00"

// tools returns the tools of all parts; u.mu is held. The error names both files of a name that two of them have.
func (u *union) tools() (all []server.Tool, secrets *config.Secrets, err error) {
	of := map[string]string{} // the path of the file of each name
	var own []*config.Secrets
	var reader *server.Tool
	for _, name := range slices.Sorted(maps.Keys(u.parts)) {
		p := u.parts[name]
		own = append(own, p.secrets)
		for _, tool := range p.tools {
			id := tool.Def.Name.Value
			if id == results.ToolName { // it reads those of the session, whichever file offers it
				reader = &tool
				continue
			}
			if other, taken := of[id]; taken {
				return nil, nil, fmt.Errorf("%s and %s both have a tool %q, and they are served as one; rename one of them, or serve the files at their own paths (--http without --http-together)", other, p.mount.Path, id)
			}
			of[id] = p.mount.Path
			tool.Calls = slices.Clone(tool.Calls)
			for i := range tool.Calls {
				tool.Calls[i].Server = name + between + tool.Calls[i].Server
			}
			all = append(all, tool)
		}
	}
	if reader != nil {
		all = append(all, *reader)
	}
	return all, config.JoinSecrets(own...), nil
}

func (u *union) hints(upstream, tool string) (server.Hints, bool) {
	name, upstream, _ := strings.Cut(upstream, between)
	u.mu.Lock()
	m := u.parts[name].mount
	u.mu.Unlock()
	if m == nil {
		return server.Hints{}, false
	}
	return m.current.Load().hints(upstream, tool)
}

// put offers the tools of a file from now on. The channel is closed when the last call of those before has ended; nil:
// there is none. After an error nothing has changed.
func (u *union) put(m *mount, tools []server.Tool, secrets *config.Secrets) (ended <-chan struct{}, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, known := u.parts[m.Name]
	if u.parts[m.Name] = (part{m, tools, secrets}); u.srv == nil {
		return nil, nil
	}
	all, joined, err := u.tools()
	if err == nil {
		ended, err = u.srv.Replace(all, joined)
	}
	switch {
	case err != nil && known:
		u.parts[m.Name] = before
	case err != nil:
		delete(u.parts, m.Name)
	}
	return ended, err
}

// remove offers nothing of a file any more.
func (u *union) remove(m *mount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.parts, m.Name)
	all, secrets, err := u.tools()
	if err == nil {
		_, err = u.srv.Replace(all, secrets)
	}
	if err != nil {
		u.set.session.Log.Error("the tools of a file that is gone are still listed", "file", m.Path, "error", err)
	}
}

// mounts returns the files in the order of their names.
func (u *union) mounts() (all []*mount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(u.parts)) {
		all = append(all, u.parts[name].mount)
	}
	return all
}

// shelf is where the tools of a file are offered: at its own server, and in the union.
type shelf struct {
	mount *mount
	union *union // nil: there is none
}

// Replace offers other tools. The channel is closed when the last call of those before has ended.
func (s *shelf) Replace(tools []server.Tool, secrets *config.Secrets) (ended <-chan struct{}, err error) {
	var also <-chan struct{}
	if s.union != nil {
		if also, err = s.union.put(s.mount, tools, secrets); err != nil {
			return nil, err
		}
	}
	own, err := s.mount.srv.Replace(tools, secrets)
	if err != nil || also == nil {
		return own, err
	}
	both := make(chan struct{})
	go func() { // ends with the last call of the version before
		<-own
		<-also
		close(both)
	}()
	return both, nil
}

// Changed notifies clients of changes of lists.
func (s *shelf) Changed(lists server.Lists) {
	s.mount.srv.Changed(lists)
	if s.union != nil && s.union.srv != nil {
		s.union.srv.Changed(lists)
	}
}
