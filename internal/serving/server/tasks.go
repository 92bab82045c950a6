package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/base/wording"
)

// A client that declares the extension for tasks gets a task in place of the result of a call that takes
// long. The run goes on without a call, is looked at, asked and cancelled with requests of its own, and can be
// continued by another process: the task is recorded with its run.

// TasksExtension is the name of the extension, of protocol 2026-07-28.
const TasksExtension = "io.modelcontextprotocol/tasks"

// Tasks records which runs are tasks. Several goroutines call it at once; the subject is that of the context.
type Tasks interface {
	// Begin makes the run of a call a task, which is recorded when it returns. The error says that the run cannot
	// be one, or not yet.
	Begin(ctx context.Context, tool, run string) (Task, error)
	// Look returns a task; with the state that it had, as soon as it has another one. The error is ErrNoTask for an id
	// that names no task of the subject.
	Look(ctx context.Context, id, state string) (Task, error)
	// Change answers questions of a task, by their names; nil cancels it. The answer to a run that no process has is
	// returned, for a call that continues the run.
	Change(ctx context.Context, id string, answers map[string]json.RawMessage) (*Continued, error)
}

// ErrNoTask is the error about an id that names no task of a subject.
var ErrNoTask = &RefusedError{"taskId: this server has no such task; it was deleted, belongs to someone else, or never was: call the tool again"}

// LostError is the error of a run that has ended and whose result cannot be given any more.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

func (e *LostError) Unwrap() error { return e.Err }

// TaskStatus is the status of a task, in the words of the extension.
type TaskStatus string

// The statuses of tasks. One that has failed is completed for Tasks: its result says which of the two it is.
const (
	TaskWorking   TaskStatus = "working"
	TaskAsks      TaskStatus = "input_required"
	TaskCompleted TaskStatus = "completed"
	TaskCancelled TaskStatus = "cancelled"

	taskFailed TaskStatus = "failed"
)

// Task is a run that goes on, or has ended, without a call.
type Task struct {
	ID, Tool, Run    string
	Status           TaskStatus
	State            string // changes with the status and the open question
	Created, Updated time.Time
	Keep             time.Duration // since Created; 0: no bound
	Questions        []TaskQuestion
	Interrupted      bool // no process has the run: a call has to continue it
}

// TaskQuestion is an open question of a task.
type TaskQuestion struct {
	Name   string
	Params json.RawMessage // of elicitation/create
}

// RunName is the id of the run of a call, as soon as it is known. Safe for concurrent use.
type RunName struct {
	id   atomic.Pointer[string]
	left atomic.Bool // see Left
}

// Set sets the id; it may change. Without a RunName it does nothing.
func (n *RunName) Set(id string) {
	if n != nil {
		n.id.Store(&id)
	}
}

// get returns the id; "" while it is not known.
func (n *RunName) get() string {
	if id := n.id.Load(); id != nil {
		return *id
	}
	return ""
}

// declaresTasks reports whether a client declares the extension.
func declaresTasks(capabilities []byte) bool {
	return bytes.HasPrefix(extensionIn(capabilities, TasksExtension), []byte("{"))
}

// extensionIn returns what the capabilities of a client say of an extension; nil: nothing.
func extensionIn(capabilities []byte, name string) json.RawMessage {
	if !bytes.Contains(capabilities, []byte(name)) {
		return nil // most clients: no need to decode
	}
	var said struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	if json.Unmarshal(capabilities, &said) != nil {
		return nil
	}
	return said.Extensions[name]
}

// errUndeclared refuses a request about tasks of a client that does not declare the extension.
var errUndeclared = &rpcError{
	code: codeMissingCapability, message: "the request is about tasks, and its _meta does not declare the extension " + TasksExtension,
	data: []byte(`{"requiredCapabilities":{"extensions":{"` + TasksExtension + `":{}}}}`),
}

// mustTask refuses a call of a tool that needs a task, and cannot get one: before anything runs, because a client that
// waits for such a tool gives up while the run goes on. A prompt is no call, and waits.
func (s *Server) mustTask(c *call) *rpcError {
	if !c.tool.def.NeedsTask || c.tasks || c.tool.prompt {
		return nil
	}
	name := "tool " + wording.Quote(c.tool.name)
	switch {
	case s.opts.Tasks == nil:
		return &rpcError{code: codeInternal, message: name + " runs as a task (task: required), and this server has no tasks: it does not record runs; serve with the run history"}
	case !c.modern:
		return &rpcError{
			code: codeMissingCapability, data: errUndeclared.data,
			message: name + " runs as a task (task: required); call it with a client that has protocol 2026-07-28 and the extension " + TasksExtension,
		}
	}
	return &rpcError{
		code: codeMissingCapability, data: errUndeclared.data,
		message: name + " runs as a task (task: required), and the _meta of the request does not declare the extension " + TasksExtension,
	}
}

// isTask reports whether a request is one of the extension.
func (s *Server) isTask(method string, at era) bool {
	return s.opts.Tasks != nil && at == modern && (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel")
}

// place is where runs go on that no call waits for. Over HTTP that is the process, whichever client asks for the task; over
// stdio it is the connection, with which the process ends.
type place struct {
	life    context.Context
	gone    <-chan struct{} // closed when the process or the connection ends
	running *sync.WaitGroup
	leaves  bool // the runs are left to other processes when the client has gone
}

func (e *endpoint) place() place { return place{life: e.base, gone: e.closing, running: &e.running} }

func (c *conn) place() place {
	return place{life: c.ctx, gone: c.gone, running: &c.calls, leaves: true}
}

// task answers a request of the extension.
func (s *Server) task(ctx context.Context, m *message, in place) (result []byte, fault *rpcError) {
	defer s.recovered(m, &fault)
	if !declaresTasks(m.capabilities) {
		return nil, errUndeclared
	}
	if m.taskID == nil || m.taskID[0] != '"' {
		return nil, invalidParams("taskId: expected the id of a task, a string, got " + describeRaw(m.taskID))
	}
	id := text(m.taskID)
	if text(m.method) == "tasks/get" {
		t, err := s.opts.Tasks.Look(ctx, id, "")
		if err != nil {
			return nil, s.taskFault(err)
		}
		members, fault := s.detailed(withApps(ctx, m), &t, in)
		if fault != nil {
			return nil, fault
		}
		result = append(append([]byte{'{'}, members...), ',')
		return append(append(result, s.identity...), '}'), nil
	}
	var answers map[string]json.RawMessage // nil: it is cancelled
	if text(m.method) == "tasks/update" {
		if m.inputResponses == nil || json.Unmarshal(m.inputResponses, &answers) != nil || answers == nil {
			return nil, invalidParams("inputResponses: expected an object with answers under the keys of inputRequests, got " + describeRaw(m.inputResponses))
		}
	}
	goes, err := s.opts.Tasks.Change(ctx, id, answers)
	if err == nil && goes != nil {
		err = s.goOn(ctx, goes, in)
	}
	if err != nil {
		return nil, s.taskFault(err)
	}
	return append(append([]byte{'{'}, s.identity...), '}'), nil
}

// taskFault returns the error of a request about a task.
func (s *Server) taskFault(err error) *rpcError {
	if fault := refusalOf(err); fault != nil {
		return fault
	}
	if !errors.Is(err, context.Canceled) {
		s.opts.Logger.Error("a request about a task failed", "error", err)
	}
	return &rpcError{code: codeInternal, message: "internal error"}
}

// checkTaskName compares the id of a task with the header that repeats it.
func checkTaskName(h http.Header, m *message) *rpcError {
	id, expected := h.Get(mcp.HeaderName), text(m.taskID)
	if id == "" {
		return mismatch("the header " + mcp.HeaderName + " is missing, expected the taskId " + wording.Quote(expected))
	}
	if decoded, ok := mcp.DecodeHeaderValue(id); !ok || decoded != expected {
		return mismatch("the header " + mcp.HeaderName + " is " + wording.Quote(id) + " but the taskId is " + wording.Quote(expected))
	}
	return nil
}

// answerTask answers a request of the extension in a goroutine of its own, so that the read loop continues.
func (c *conn) answerTask(m *message, o *observation) *rpcError {
	return c.later(m, o, func(ctx context.Context, own *message) ([]byte, *rpcError) { return c.server.task(ctx, own, c.place()) })
}
