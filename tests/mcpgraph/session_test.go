package mcpgraph

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"toolgraph/tests/testbin"
)

// patience is how long an answer may take before its server is ended.
const patience = 2 * time.Minute

// session is an MCP server on the other side of stdio, one call at a time.
type session struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Reader
	stderr testbin.Said
	id     int
}

// start starts a server; close ends it.
func start(ctx context.Context, dir string, command ...string) (*session, error) {
	s := &session{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	s.cmd.Dir = dir
	if command[0] != "node" { // mcpGraph logs every step with its whole context
		s.cmd.Stderr = &s.stderr
	}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.lines = bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	hello := json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"random","version":"1.0.0"}}`)
	if _, err := s.request("initialize", hello); err != nil {
		return nil, err
	}
	return s, s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// close ends the server: mcpGraph does not end with its input.
func (s *session) close() {
	s.in.Close()
	_ = s.cmd.Process.Signal(os.Interrupt)
	stuck := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer stuck.Stop()
	_ = s.cmd.Wait()
}

type response struct {
	ID     int
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (s *session) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(line, '\n'))
	return err
}

func (s *session) request(method string, params any) (response, error) {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return response{}, fmt.Errorf("%w: %s", err, s.stderr.String())
	}
	stuck := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer stuck.Stop()
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return response{}, fmt.Errorf("the server ended in %s: %w: %s", method, err, s.stderr.String())
		}
		var r response
		// mcpGraph's operator log writes lines to standard output that are no messages.
		if json.Unmarshal(line, &r) == nil && r.ID == s.id {
			return r, nil
		}
	}
}

// outcome is the answer to a call: a value, or why there is none.
type outcome struct {
	value  string // JSON
	failed string // the message; empty where there is a value
}

func (o outcome) String() string {
	if o.failed != "" {
		return "failed: " + o.failed
	}
	return o.value
}

func (s *session) call(name, arguments string) (outcome, error) {
	r, err := s.request("tools/call", map[string]any{"name": name, "arguments": json.RawMessage(arguments)})
	switch {
	case err != nil:
		return outcome{}, fmt.Errorf("%s: %w", name, err)
	case r.Error != nil:
		return outcome{failed: fmt.Sprintf("%s (%d)", r.Error.Message, r.Error.Code)}, nil
	case len(r.Result.Content) == 0:
		return outcome{failed: "the answer has no content"}, nil
	case r.Result.IsError:
		return outcome{failed: r.Result.Content[0].Text}, nil
	}
	text := r.Result.Content[0].Text
	if structured := r.Result.StructuredContent; structured != nil && canonical(string(structured)) != canonical(text) {
		return outcome{}, fmt.Errorf("%s: structuredContent is %s, and the text %s", name, structured, text)
	}
	return outcome{value: text}, nil
}
