package main

import (
	"bufio"
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"toolgraph/tests/npm"
)

//go:embed node.mjs
var script string

const (
	jsonataPackage   = "jsonata@2.2.2"
	jsonLogicPackage = "json-logic-js@2.0.5"
)

// node is a Node process with both npm packages.
type node struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

type nodeRequest struct {
	Op      string `json:"op"` // load, value or measure
	Input   string `json:"input"`
	Context string `json:"context,omitempty"`
	Records int    `json:"records,omitempty"`
	Source  string `json:"source"`
	Rule    string `json:"rule"`
	Span    int64  `json:"span,omitempty"` // ns
}

type nodeReply struct {
	Value string  `json:"value"`
	NS    float64 `json:"ns"`
	Error string  `json:"error"`
}

// newNode installs the packages, starts the process and hands it the inputs.
func newNode(ctx context.Context, all []*input) (*node, error) {
	dir, err := npm.Install(ctx, jsonataPackage, jsonLogicPackage)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "--eval", script)
	cmd.Dir = filepath.Clean(dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said tail
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &node{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16)}
	for _, input := range all {
		if _, err := n.ask(nodeRequest{Op: "load", Input: input.name, Context: input.context, Records: input.records}); err != nil {
			in.Close()
			return nil, fmt.Errorf("node: %w %s", errors.Join(err, cmd.Wait()), said)
		}
	}
	return n, nil
}

// tail keeps the first of what is written to it.
type tail []byte

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	if len(*t) < 2000 {
		*t = append(*t, p...)
	}
	return len(p), nil
}

func (n *node) ask(r nodeRequest) (nodeReply, error) {
	var reply nodeReply
	line, err := json.Marshal(r)
	if err != nil {
		return reply, err
	}
	if _, err := n.in.Write(append(line, '\n')); err != nil {
		return reply, err
	}
	said, err := n.out.ReadBytes('\n')
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(said, &reply); err != nil {
		return reply, err
	}
	if reply.Error != "" {
		return reply, errors.New(reply.Error)
	}
	return reply, nil
}

func (n *node) value(_ context.Context, s subject, in *input) ([]byte, error) {
	reply, err := n.ask(nodeRequest{Op: "value", Input: in.name, Source: s.source, Rule: s.rule})
	return []byte(reply.Value), err
}

func (n *node) measure(_ context.Context, s subject, in *input, span time.Duration) (float64, error) {
	reply, err := n.ask(nodeRequest{Op: "measure", Input: in.name, Source: s.source, Rule: s.rule, Span: int64(span)})
	return reply.NS, err
}

// close ends the process.
func (n *node) close() error {
	n.in.Close()
	return n.cmd.Wait()
}
