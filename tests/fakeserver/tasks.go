package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The tool task answers with a task. The mode tasks=DIR offers it; the tasks are files of this directory, so that
// they outlive the server:
//
//	task-N         the task, the N-th; without it the server does not know the task
//	task-N.state   members of its state, in JSON, such as {"status":"completed","result":{…}}; without it the task is working
//	task-N.next    takes the place of task-N.state with the answers to its questions
//
// The arguments of the tool are members of the answer to the call, which take the place of those of a working task. The
// diary has each "task N", "get ID", "result ID", "update ID ANSWERS" and "cancel ID"; a cancelled task has the status
// cancelled. In the older era the tool can only be called as a task, and tasks/result waits for the state. With the mode
// notify each change of a state is notified; with latetask the tool answers once its call is cancelled, and the diary has "waits".
type taskStore struct {
	mu   sync.Mutex
	seen map[string]string // states that were notified
}

func (s *server) taskPath(id, kind string) string {
	return filepath.Join(s.modes["tasks"], filepath.Base(id)+kind)
}

// offerTasks adds the tool.
func (s *server) offerTasks() {
	if !s.has("tasks") {
		return
	}
	s.tasks.seen = map[string]string{}
	tools["task"] = (*call).beginTask
	if s.has("notify") {
		go s.notifyTasks()
	}
}

func (c *call) beginTask() {
	var p struct {
		Task map[string]any `json:"task"`
		Meta struct {
			Caps struct {
				Extensions map[string]any `json:"extensions"`
			} `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(c.params, &p)
	if p.Task == nil && p.Meta.Caps.Extensions["io.modelcontextprotocol/tasks"] == nil {
		c.refuse(-32601, "the tool needs a task")
		return
	}
	if c.has("latetask") {
		c.note("waits")
		<-c.cancelled
	}
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	n := 1
	for ; ; n++ {
		if _, err := os.Stat(c.taskPath(fmt.Sprintf("task-%d", n), "")); err != nil {
			break
		}
	}
	id := fmt.Sprintf("task-%d", n)
	_ = os.WriteFile(c.taskPath(id, ""), c.args, 0o600)
	c.note("task %d", n)
	state := working(id)
	if p.Task != nil {
		delete(state, "resultType")
		c.result(c.id, map[string]any{"task": state})
		return
	}
	_ = json.Unmarshal(c.args, &state)
	state["resultType"] = "task"
	c.result(c.id, state)
}

func working(id string) map[string]any {
	return map[string]any{
		"taskId": id, "status": "working", "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z", "ttlMs": nil, "pollIntervalMs": 1,
	}
}

// aboutTask answers requests about tasks.
func (s *server) aboutTask(m message) bool {
	switch m.Method {
	case "tasks/get", "tasks/update", "tasks/cancel", "tasks/result":
	default:
		return false
	}
	if !s.has("tasks") || !s.meta(m) {
		return false
	}
	var p struct {
		ID      string          `json:"taskId"`
		Answers json.RawMessage `json:"inputResponses"`
	}
	_ = json.Unmarshal(m.Params, &p)
	if _, err := os.Stat(s.taskPath(p.ID, "")); err != nil {
		s.note("unknown %s", p.ID)
		s.reply(message{ID: m.ID, Error: &rpcError{Code: -32602, Message: "no task " + p.ID}})
		return true
	}
	switch m.Method {
	case "tasks/get":
		s.note("get %s", p.ID)
		state := working(p.ID)
		maps.Copy(state, s.stateOf(p.ID))
		state["resultType"] = "complete"
		s.result(m.ID, state)
	case "tasks/update":
		s.note("update %s %s", p.ID, p.Answers)
		_ = os.Rename(s.taskPath(p.ID, ".next"), s.taskPath(p.ID, ".state"))
		s.result(m.ID, map[string]any{"resultType": "complete"})
	case "tasks/cancel":
		_ = os.WriteFile(s.taskPath(p.ID, ".state"), []byte(`{"status":"cancelled"}`), 0o600)
		s.note("cancel %s", p.ID)
		s.result(m.ID, map[string]any{"resultType": "complete"})
	case "tasks/result":
		s.note("result %s", p.ID)
		go s.taskResult(m, p.ID)
	}
	return true
}

func (s *server) stateOf(id string) (state map[string]any) {
	raw, err := os.ReadFile(s.taskPath(id, ".state"))
	if err == nil {
		_ = json.Unmarshal(raw, &state)
	}
	return state
}

// taskResult answers tasks/result when the task has ended. Its questions come before.
func (s *server) taskResult(m message, id string) {
	for {
		state := s.stateOf(id)
		switch state["status"] {
		case "completed":
			s.result(m.ID, state["result"])
			return
		case "failed", "cancelled":
			s.reply(message{ID: m.ID, Error: &rpcError{Code: -32050, Message: fmt.Sprint(state["statusMessage"])}})
			return
		case "input_required":
			reply := make(chan json.RawMessage, 1)
			s.mu.Lock()
			s.waiting[`"ask-task"`] = reply
			s.mu.Unlock()
			params, _ := json.Marshal(state["question"])
			s.reply(message{ID: json.RawMessage(`"ask-task"`), Method: "elicitation/create", Params: params})
			answer := <-reply
			s.note("update %s %s", id, answer)
			_ = os.Rename(s.taskPath(id, ".next"), s.taskPath(id, ".state"))
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// notifyTasks notifies each new state of a task.
func (s *server) notifyTasks() {
	for ; ; time.Sleep(2 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(s.modes["tasks"], "*.state"))
		for _, path := range found {
			raw, _ := os.ReadFile(path)
			id := filepath.Base(path[:len(path)-len(".state")])
			if len(raw) > 0 && s.tasks.seen[id] != string(raw) {
				s.tasks.seen[id] = string(raw)
				s.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":%q,"status":"working"}}`+"\n", id))
			}
		}
	}
}
