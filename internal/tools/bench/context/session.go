package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// session is a client of one process.
type session struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func start(ctx context.Context, command string, args ...string) (*session, error) {
	s := &session{cmd: exec.CommandContext(ctx, command, args...)}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		return nil, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

func (s *session) end() {
	_ = s.in.Close()
	_ = s.cmd.Wait() // it is stopped by the end of its input
}

func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		switch {
		case m.Method != "" || m.ID != s.id:
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}

// tools returns the definitions of all tools, each as compact JSON.
func (s *session) tools() ([]string, error) {
	raw, err := s.request("tools/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	texts := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		texts[i] = string(tool)
	}
	return texts, nil
}

// call returns the text that a model reads of a result.
func (s *session) call(tool string, arguments json.RawMessage) (string, error) {
	raw, err := s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	text := ""
	for _, item := range result.Content {
		text += item.Text
	}
	if result.IsError {
		return "", fmt.Errorf("%s: %s", tool, text)
	}
	return text, nil
}
