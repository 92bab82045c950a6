package tests

import (
	"encoding/json"
	"fmt"
)

// walk calls a tool and gives its result and the nodes that the run visited, as the
// progress notifications report them.
func (s *session) walk(tool, args string) (toolResult, []string) {
	s.t.Helper()
	s.mu.Lock()
	from := len(s.notes)
	s.mu.Unlock()
	_, answer := s.send("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"walk"}}`, tool, args))
	result := s.result(s.await(answer))
	s.mu.Lock()
	defer s.mu.Unlock()
	var nodes []string
	for _, note := range s.notes[from:] {
		nodes = append(nodes, progressOf(s, note).Message)
	}
	return result, nodes
}

// progress are the params of notifications/progress.
type progress struct {
	Token    any     `json:"progressToken"`
	Progress float64 `json:"progress"`
	Message  string  `json:"message"`
}

func progressOf(s *session, note reply) (p progress) {
	s.t.Helper()
	if err := json.Unmarshal(note.Params, &p); err != nil || note.Method != "notifications/progress" {
		s.t.Fatalf("%s %s is no progress: %v", note.Method, note.Params, err)
	}
	return p
}
