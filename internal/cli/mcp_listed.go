package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// source is where the definition of a tool comes from.
type source string

const (
	fromServer source = "server" // it was asked now
	fromLock   source = "lock"   // of the graph file
	fromSync   source = "sync"   // what the server listed when it was last synced
	fromFile   source = "file"   // the tool is a program that the file defines
)

// listed are the tools of a server, as far as they are known.
type listed struct {
	Server string       `json:"server"`
	File   string       `json:"file"`             // that defines the server
	Live   bool         `json:"live"`             // the server was asked now
	Synced *time.Time   `json:"synced,omitempty"` // when it was asked, unless now
	Lock   string       `json:"lock,omitempty"`   // the lock file that has tools of it, unless it was asked now
	Reason string       `json:"reason,omitempty"` // why its tools are unknown
	Tools  []listedTool `json:"tools"`
}

// listedTool is the definition of a tool.
type listedTool struct {
	mcpclient.Tool
	Source  source `json:"source"`
	Learned int    `json:"learned,omitempty"` // the results that outputSchema is derived from; 0: the server declares it
}

// add adds tools of one source.
func (l *listed) add(from source, tools ...mcpclient.Tool) {
	for _, t := range tools {
		l.Tools = append(l.Tools, listedTool{Tool: t, Source: from})
	}
}

// stored returns the tools of a server that are known without asking it: programs; what it listed
// when it was last synced; and what the lock has, which replaces that.
func (s *found) stored() (*listed, error) {
	l := &listed{Server: s.name, File: s.file, Tools: []listedTool{}}
	switch {
	case s.server == nil:
		return nil, s.errors.Err()
	case s.server.Transport == config.Exec:
		l.add(fromFile, mcpclient.Programs(s.server)...)
		return l, nil
	}
	if s.entry != nil || s.server.Registry {
		synced, err := registry.StoredTools(s.server)
		switch {
		case err != nil:
			return nil, err
		case synced != nil:
			l.Synced = &synced.At
			l.add(fromSync, synced.Tools...)
		default:
			l.Reason = "not synced; run: toolgraph mcp sync " + program.ShellWord(s.name)
		}
	}
	if s.locked == nil {
		return l, nil
	}
	locked, err := s.locked.read()
	if err != nil {
		return nil, err
	}
	for _, e := range locked.Entries {
		if e.Server == s.name && e.Identity == s.server.Identity && len(e.Omitted) == 0 {
			l.Lock, l.Reason = s.locked.path, ""
			l.pin(e)
		}
	}
	if l.Lock == "" && l.Synced == nil {
		l.Reason = "no definition of them is locked in " + s.locked.path
	}
	return l, nil
}

// besideGraph is the lock of a graph file, which is read at most once.
type besideGraph struct {
	path string
	read func() (*lock.Lock, error) // without entries when there is no file
}

func lockOfGraph(graphFile string) *besideGraph {
	path := lock.Path(graphFile)
	return &besideGraph{path: path, read: sync.OnceValues(func() (*lock.Lock, error) {
		l, err := lock.Load(path)
		if errors.Is(err, fs.ErrNotExist) {
			return &lock.Lock{}, nil
		}
		return l, err
	})}
}

// pin adds a tool as it is locked, in the place of its synced definition.
func (l *listed) pin(e lock.Entry) {
	pinned := listedTool{Source: fromLock, Learned: e.Learned, Tool: mcpclient.Tool{
		Name: e.Tool, Title: e.Title, Description: e.Description, InputSchema: e.Input, OutputSchema: e.Output, Annotations: e.Annotations,
	}}
	if i := slices.IndexFunc(l.Tools, func(t listedTool) bool { return t.Name == e.Tool }); i >= 0 {
		l.Tools[i] = pinned
	} else {
		l.Tools = append(l.Tools, pinned)
	}
}

// has reports whether the list answers a question about a tool, or about all tools with "". A lock
// has only the tools that the graphs call, so that others may exist.
func (l *listed) has(tool string) bool {
	return l.Reason == "" && (l.Lock == "" || l.Synced != nil || tool == "" || l.search(tool) != nil)
}

// missing says why the list does not answer the question of has.
func (l *listed) missing(tool string) string {
	if l.Reason != "" {
		return l.Reason
	}
	return fmt.Sprintf("no definition of %s is locked in %s", wording.Quote(tool), l.Lock)
}

func (l *listed) search(name string) *listedTool {
	i := slices.IndexFunc(l.Tools, func(t listedTool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &l.Tools[i]
}

// ask returns the tools that the server lists now, with secrets redacted.
func (s *found) ask(ctx context.Context, l *runtime.Loaded) (*listed, error) {
	tools, err := l.Pool.ListTools(ctx, s.name)
	if err != nil {
		return nil, err
	}
	tools, err = redactedTools(tools, l.File.Secrets)
	now := &listed{Server: s.name, File: s.file, Live: true, Tools: []listedTool{}}
	now.add(fromServer, tools...)
	return now, err
}

// redactedTools returns tools without values of secrets, as registry.StoreTools stores them.
func redactedTools(tools []mcpclient.Tool, secrets *config.Secrets) ([]mcpclient.Tool, error) {
	raw, err := json.Marshal(tools)
	if err != nil {
		return nil, err
	}
	var clean []mcpclient.Tool
	if err := json.Unmarshal(secrets.RedactJSON(raw), &clean); err != nil {
		return nil, errors.New("the definitions of the tools cannot be shown: secrets in them cannot be redacted")
	}
	return clean, nil
}

// when says where the tools come from, and when they were listed.
func (l *listed) when() string {
	locked := 0
	for _, t := range l.Tools {
		if t.Source == fromLock {
			locked++
		}
	}
	switch {
	case l.Reason != "":
		return l.Reason
	case l.Synced != nil && locked > 0:
		return fmt.Sprintf("%s, %d of them as locked in %s", l.from(fromSync), locked, l.Lock)
	case l.Synced != nil:
		return l.from(fromSync)
	case locked > 0:
		return l.from(fromLock) + "; --live lists all"
	case l.Live:
		return l.from(fromServer)
	}
	return l.from(fromFile)
}

// from says where a tool comes from.
func (l *listed) from(s source) string {
	switch s {
	case fromServer:
		return "listed now"
	case fromLock:
		return "locked in " + l.Lock
	case fromSync:
		return "synced " + l.Synced.Local().Format("2006-01-02 15:04")
	}
	return "programs of " + l.File
}

// tool returns a tool by its name.
func (l *listed) tool(name string) (*listedTool, error) {
	if t := l.search(name); t != nil {
		return t, nil
	}
	if l.Reason != "" {
		return nil, fmt.Errorf("the tools of %s are unknown: %s", wording.Quote(l.Server), l.Reason)
	}
	var names []string
	for _, t := range l.Tools {
		names = append(names, shortened(t.Name, nameShown)) // a server may give any text
	}
	hint := wording.Suggest(name, names)
	if hint == "" && len(names) > 0 {
		hint = "; it has " + wording.List(slices.Compact(slices.Sorted(slices.Values(names))))
	}
	return nil, program.Usagef("server %s has no tool %s (%s)%s", wording.Quote(l.Server), wording.Quote(name), l.when(), hint)
}
