package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"
)

const (
	// handshakeLimit is how long a peer may take to start.
	handshakeLimit = 30 * time.Second
	// longestLine is how many bytes a line of an answer may have.
	longestLine = 1 << 20
)

// conn is a started peer and the conversation with it. It belongs to one goroutine.
type conn struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int64 // the id of the next request
}

// dial starts a program and shakes hands; started is how long it took from before
// the start to the answer of tools/list. The program ends with ctx at the latest.
func dial(ctx context.Context, line []string) (c *conn, started time.Duration, err error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	c = &conn{cmd: cmd, in: in, out: bufio.NewReaderSize(out, longestLine), next: 1}
	watch := time.AfterFunc(handshakeLimit, c.kill)
	defer watch.Stop()
	if err := c.shakeHands(); err != nil {
		c.kill()
		return nil, 0, errors.Join(fmt.Errorf("%s: the handshake failed: %w", line[0], err), c.wait())
	}
	return c, time.Since(begin), nil
}

func (c *conn) shakeHands() error {
	if err := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}`); err != nil {
		return err
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	return c.ask("tools/list", `{}`)
}

// ask sends a request and waits for its answer, which must be no error.
func (c *conn) ask(method, params string) error {
	id := c.next
	c.next++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		return err
	}
	a, err := c.read()
	if err != nil {
		return err
	}
	if a.id() != id || a.Error != nil || len(a.Result) == 0 {
		return fmt.Errorf("%s was not answered with a result", method)
	}
	return nil
}

// appendCall appends the tools/call request of the next id to b.
func (c *conn) appendCall(b []byte, tool, args string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, c.next, 10)
	b = append(b, `,"method":"tools/call","params":{"name":"`...)
	b = append(b, tool...)
	b = append(b, `","arguments":`...)
	b = append(b, args...)
	c.next++
	return append(b, "}}\n"...)
}

// read waits for the next answer and passes over everything else.
func (c *conn) read() (*answer, error) {
	for {
		line, err := c.out.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		a := new(answer)
		if json.Unmarshal(line, a) == nil && a.ID != nil && a.Method == "" {
			return a, nil
		}
	}
}

func (c *conn) pid() int { return c.cmd.Process.Pid }

func (c *conn) kill() { _ = c.cmd.Process.Kill() } // it fails only when the process is gone

// close ends the conversation and waits for the process, which is killed when it
// does not end by itself.
func (c *conn) close() {
	c.in.Close()
	watch := time.AfterFunc(5*time.Second, c.kill)
	defer watch.Stop()
	_ = c.wait() // how a peer exits is not measured
}

func (c *conn) wait() error {
	_, err := io.Copy(io.Discard, c.out)
	return errors.Join(err, c.cmd.Wait())
}

// answer is a line from a peer.
type answer struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (a *answer) id() int64 { return *a.ID }

// value is what the tool gave, as JSON; fault is why there is none.
func (a *answer) value() (value []byte, fault string) {
	if a.Error != nil {
		return nil, "JSON-RPC error: " + a.Error.Message
	}
	var result struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		return nil, "a result that is no tool result"
	}
	text := ""
	if len(result.Content) > 0 {
		text = result.Content[0].Text
	}
	switch {
	case result.IsError:
		return nil, "isError: " + text
	case len(result.StructuredContent) > 0 && !bytes.Equal(result.StructuredContent, []byte("null")):
		return result.StructuredContent, ""
	}
	return []byte(text), ""
}
