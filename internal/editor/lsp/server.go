package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"toolgraph/graph/flow"
	"toolgraph/mcpclient"
)

// Options are what a Server works with.
type Options struct {
	Version     string
	ServersFile string // with more servers, as --mcp; a setting of the client replaces it
	Logger      *slog.Logger

	// List starts the servers of a graph file, asks for their tools and ends them; src is the file as it is
	// saved, and servers a file with more of them. What it returns counts with an error as well. nil: never.
	List func(ctx context.Context, path string, src []byte, servers string) (map[string][]mcpclient.Tool, error)

	// LastOutput returns the latest output of a node in the last recorded run of a tool of a graph file; nil
	// when there is none. It must not write. state is the setting of that name. Nil: runs are not shown.
	LastOutput func(ctx context.Context, state, file, tool, node string) (*Output, error)

	// OwnProcess says that the process does nothing else: garbage is collected less often while little memory is in use.
	OwnProcess bool
}

// ErrNoShutdown is the end of a connection that the client did not shut down before.
var ErrNoShutdown = errors.New("the client ended without the request shutdown")

const (
	answersAtOnce = 64
	mostRequests  = 1000             // that are answered or wait for it
	requestBudget = 20 * time.Second // for one answer
	lastWords     = 2 * time.Second  // for answers that are not written when the connection ends
)

// Server is the language server of one client.
type Server struct {
	opts Options
	wire *wire
	log  *slog.Logger
	ctx  context.Context //nolint:containedctx // it ends with the connection

	// Of the goroutine that reads messages.
	initialized, down bool
	client            clientCan

	mu       sync.Mutex // guards what follows
	settings settings
	units    string                        // of positions
	folders  []string                      // of the workspace
	docs     map[string]*document          // by URI
	full     bool                          // the user knows that too many documents are open
	flights  map[string]context.CancelFunc // by the id of the request
	asked    map[string]chan message       // answers of the client that are waited for, by id
	lastID   int
	live     map[string]*live // by the path of a graph file
	answers  sync.WaitGroup   // all work that is under way

	answering sync.WaitGroup // requests of the client alone
	slots     chan struct{}  // of requests that are being answered

	checker     *checker
	clean       flow.Clean // of all graph files
	closedFiles closedFiles
	recorded    recordedOutputs
	handlers    map[string]handler // by method
}

// New returns a server, for one Serve.
func New(opts Options) *Server {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{
		opts: opts, log: opts.Logger, units: utf16Units, settings: settings{MCP: opts.ServersFile},
		docs: map[string]*document{}, flights: map[string]context.CancelFunc{}, asked: map[string]chan message{}, checker: newChecker(), live: map[string]*live{}, handlers: allAnswers(),
		slots: make(chan struct{}, answersAtOnce),
	}
}

// Serve serves the client until it ends the connection or ctx ends. The error is ErrNoShutdown, that of
// reading or writing, or a message without end; a pending Read of in is not interrupted.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s.ctx, s.wire = ctx, newWire(in, out)
	ended := make(chan error, 1)
	go func() { ended <- s.readAll() }()
	checked := make(chan struct{})
	go func() { defer close(checked); s.diagnose() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-s.wire.dead:
		s.wire.mu.Lock()
		err = s.wire.err
		s.wire.mu.Unlock()
	}
	cancel()
	<-checked
	if !within(&s.answers, lastWords) {
		s.log.Warn("answers are not ready at the end of the connection")
	}
	s.wire.drain(lastWords)
	return err
}

// within waits for work, but not longer than a time, and reports whether it has ended.
func within(work *sync.WaitGroup, longest time.Duration) bool {
	ended := make(chan struct{})
	go func() { defer close(ended); work.Wait() }()
	select {
	case <-ended:
		return true
	case <-time.After(longest):
		return false
	}
}

// errExit is the notification exit.
var errExit = errors.New("exit")

func (s *Server) readAll() error {
	for {
		body, err := s.wire.read()
		var skipped tooLargeError
		switch {
		case s.ctx.Err() != nil:
			return nil //nolint:nilerr // the connection has ended already
		case errors.As(err, &skipped):
			s.forgetAll(skipped)
			continue
		case errors.Is(err, io.EOF) && s.down:
			return nil
		case errors.Is(err, io.EOF):
			return ErrNoShutdown
		case err != nil:
			return err
		}
		if err = s.receive(body); errors.Is(err, errExit) {
			if s.down {
				return nil
			}
			return ErrNoShutdown
		} else if err != nil {
			return err
		}
	}
}

// receive handles a message. The error ends the connection.
func (s *Server) receive(body []byte) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		null := json.RawMessage("null")
		return s.wire.write(message{ID: &null, Error: errorf(codeParse, "the message cannot be read: %s", err)})
	}
	switch {
	case m.Method == "" && m.ID != nil:
		s.answered(m)
		return nil
	case m.ID == nil:
		return s.notified(m)
	}
	id := string(*m.ID)
	result, answered, err := s.request(id, m)
	if err != nil || answered {
		return s.respond(m.ID, result, err)
	}
	return nil
}

// notified handles a notification.
func (s *Server) notified(m message) (ended error) {
	if m.Method == "exit" {
		return errExit
	}
	if !s.initialized || s.down {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a notification failed", "method", m.Method, "stack", string(debug.Stack()))
		}
	}()
	if handle := notifications[m.Method]; handle != nil {
		if err := handle(s, m.Params); err != nil {
			s.log.Warn("a notification was ignored", "method", m.Method, "error", err)
		}
	}
	return nil
}

// request answers a request, or starts a goroutine that does.
func (s *Server) request(id string, m message) (result any, answered bool, err error) {
	switch {
	case m.Method == "initialize" && s.initialized:
		return nil, true, errorf(codeInvalidRequest, "the server is initialized already")
	case m.Method == "initialize":
		result, err = s.initialize(m.Params)
		s.initialized = err == nil
		return result, true, err
	case !s.initialized:
		return nil, true, errorf(codeNotInitialized, "the server is not initialized; send initialize first")
	case s.down:
		return nil, true, errorf(codeInvalidRequest, "the server is shut down")
	case m.Method == "shutdown":
		s.down = true
		within(&s.answering, lastWords)
		return nil, true, nil
	}
	answer := s.handlers[m.Method]
	if answer == nil {
		return nil, true, errorf(codeMethodNotFound, "there is no method %q", m.Method)
	}
	r, err := s.requestOf(m.Params)
	if err != nil {
		return nil, true, err
	}
	ctx, cancel := context.WithTimeout(s.ctx, requestBudget)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.flights[id] != nil:
		cancel()
		return nil, true, errorf(codeInvalidRequest, "the request %s is being answered already", id)
	case len(s.flights) >= mostRequests:
		cancel()
		return nil, true, errorf(codeFailed, "%d requests have no answer yet, which is the limit; ask again later", mostRequests)
	}
	s.flights[id] = cancel
	s.answers.Add(1)
	s.answering.Add(1)
	go func() {
		defer s.answers.Done()
		defer s.answering.Done()
		var result any
		var err error
		select {
		case s.slots <- struct{}{}:
			result, err = s.answer(ctx, m.Method, answer, r)
			<-s.slots
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		if delete(s.flights, id); errors.Is(ctx.Err(), context.Canceled) {
			result, err = nil, errorf(codeCancelled, "the request was cancelled")
		}
		s.mu.Unlock()
		cancel()
		if err := s.respond(m.ID, result, err); err != nil {
			s.log.Warn("an answer was not sent", "method", m.Method, "error", err)
		}
	}()
	return nil, false, nil
}

// answer calls a handler; a panic becomes an error.
func (s *Server) answer(ctx context.Context, method string, answer handler, r *request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a request failed", "method", method, "stack", string(debug.Stack()))
			result, err = nil, errorf(codeInternal, "an internal error, which the log of the server describes")
		}
	}()
	return answer(ctx, r)
}

// respond sends the response to a request. The error is that of writing.
func (s *Server) respond(id *json.RawMessage, result any, failed error) error {
	m := message{ID: id}
	if failed == nil {
		m.Result, failed = json.Marshal(result)
	}
	if failed != nil {
		if !errors.As(failed, &m.Error) {
			m.Error = errorf(codeFailed, "%s", failed)
		}
		m.Result = nil
	}
	return s.wire.write(m)
}

// notify sends a notification.
func (s *Server) notify(method string, params any) {
	raw, err := json.Marshal(params)
	if err == nil {
		err = s.wire.write(message{Method: method, Params: raw})
	}
	if err != nil {
		s.log.Warn("a notification was not sent", "method", method, "error", err)
	}
}

// ask sends a request to the client, and decodes its answer into result, which may be nil.
func (s *Server) ask(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	s.mu.Lock()
	s.lastID++
	id := strconv.Itoa(s.lastID)
	s.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asked, id)
		s.mu.Unlock()
	}()
	wireID := json.RawMessage(id)
	if err := s.wire.write(message{ID: &wireID, Method: method, Params: raw}); err != nil {
		return err
	}
	select {
	case m := <-answer:
		switch {
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answered hands a response of the client to the one who waits for it.
func (s *Server) answered(m message) {
	s.mu.Lock()
	waiting := s.asked[string(*m.ID)]
	s.mu.Unlock()
	if waiting == nil {
		return
	}
	select {
	case waiting <- m:
	default: // a second answer
	}
}

// background does work that asks the client something; the goroutine that reads messages must not wait.
func (s *Server) background(work func(context.Context)) {
	s.answers.Add(1)
	go func() {
		defer s.answers.Done()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("work in the background failed", "stack", string(debug.Stack()))
			}
		}()
		work(s.ctx)
	}()
}

// message shows a message to the user.
func (s *Server) message(severity int, format string, args ...any) {
	s.notify("window/showMessage", map[string]any{"type": severity, "message": "toolgraph: " + fmt.Sprintf(format, args...)})
}
