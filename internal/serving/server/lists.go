package server

import "github.com/mark3labs/mcp-go/mcp"

// Lists are lists of the server whose changes clients can be notified of.
type Lists uint8

// The lists.
const (
	ToolsList Lists = 1 << iota
	PromptsList
	ResourcesList
)

// each returns the lists one by one.
func (l Lists) each() (all []Lists) {
	for _, list := range []Lists{ToolsList, PromptsList, ResourcesList} {
		if l&list != 0 {
			all = append(all, list)
		}
	}
	return all
}

// method returns the notification of a change of a list.
func (l Lists) method() string {
	switch l {
	case PromptsList:
		return mcp.MethodNotificationPromptsListChanged
	case ResourcesList:
		return mcp.MethodNotificationResourcesListChanged
	}
	return mcp.MethodNotificationToolsListChanged
}

// kind returns the key of a list in a subscription.
func (l Lists) kind() string {
	switch l {
	case PromptsList:
		return "promptsListChanged"
	case ResourcesList:
		return "resourcesListChanged"
	}
	return "toolsListChanged"
}

// notified returns the lists whose changes are notified.
func (s *Server) notified() Lists {
	all := ToolsList
	if s.hasPrompts {
		all |= PromptsList
	}
	if s.opts.Resources != nil && s.opts.ResourcesChange {
		all |= ResourcesList
	}
	return all
}

// Changed notifies the clients that lists have changed; Replace does that for the tools. Safe for concurrent use.
func (s *Server) Changed(lists Lists) {
	lists &= s.notified()
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		go l.changed(lists) // a client that does not read must not hold up the others
	}
}
