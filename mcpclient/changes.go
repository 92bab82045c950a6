package mcpclient

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// changes notifies those who want to know when the lists of a server may have changed. The zero value is ready for use.
// Safe for concurrent use.
type changes struct {
	mu       sync.Mutex
	watchers map[chan struct{}]struct{}
}

// signal notifies all watchers. Several signals before a watcher looks are one.
func (c *changes) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Changes returns a channel that gets a value when the lists of a server may have changed: it has sent a notification
// that one of them has, or it was started again. The server is not started for that. end ends it and may be called more
// than once. For an unknown server nothing is ever sent.
func (p *Pool) Changes(server string) (changed <-chan struct{}, end func()) {
	u := p.servers[server]
	if u == nil {
		return nil, func() {}
	}
	w := make(chan struct{}, 1)
	u.changes.mu.Lock()
	defer u.changes.mu.Unlock()
	if u.changes.watchers == nil {
		u.changes.watchers = map[chan struct{}]struct{}{}
	}
	u.changes.watchers[w] = struct{}{}
	return w, func() {
		u.changes.mu.Lock()
		defer u.changes.mu.Unlock()
		delete(u.changes.watchers, w)
	}
}

// abilities are what a server has beside tools, as it says in its handshake.
type abilities struct {
	prompts, resources, completions  bool
	promptsChanged, resourcesChanged bool // it notifies changes of these lists

	tasks     bool // it may answer a call with a task, whose state it may notify: modern
	taskCalls bool // calls can ask for a task: 2025-11-25
}

func abilitiesOf(c mcp.ServerCapabilities) abilities {
	_, tasks := c.Extensions[tasksExtension]
	return abilities{
		tasks:     tasks,
		taskCalls: c.Tasks != nil && c.Tasks.Requests != nil && c.Tasks.Requests.Tools != nil && c.Tasks.Requests.Tools.Call != nil,

		prompts: c.Prompts != nil, promptsChanged: c.Prompts != nil && c.Prompts.ListChanged,
		resources: c.Resources != nil, resourcesChanged: c.Resources != nil && c.Resources.ListChanged,
		completions: c.Completions != nil,
	}
}

// notifies reports whether the server notifies changes of a list.
func (s *session) notifies() bool {
	return s.notifiesChanges || s.able.promptsChanged || s.able.resourcesChanged
}

// subscribed returns the members of a subscription for the lists beside that of the tools, each after a comma.
func (a abilities) subscribed() string {
	members := ""
	if a.promptsChanged {
		members += `,"promptsListChanged":true`
	}
	if a.resourcesChanged {
		members += `,"resourcesListChanged":true`
	}
	return members
}
