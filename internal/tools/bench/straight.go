package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// straightClient makes the calls of ten mcp calls itself, by mcp-go's client, with nothing between it and the upstream
// server. It belongs to one goroutine.
type straightClient struct {
	client *client.Client
	next   int64
}

// dialStraight starts the upstream server and shakes hands with it.
func dialStraight(ctx context.Context, upstream string) (*straightClient, error) {
	c, err := client.NewStdioMCPClient(upstream, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%s: the handshake failed: %w", upstream, err)
	}
	return &straightClient{client: c, next: 1}, nil
}

func (s *straightClient) close() { _ = s.client.Close() } // how the server exits is not measured

func (s *straightClient) pid() int { return os.Getpid() }

// drive makes ten calls, one after the other and each with the value of the one before, for at least span.
func (s *straightClient) drive(w *workload, span time.Duration) (tally, error) {
	ctx, cancel := context.WithTimeout(context.Background(), span+silence)
	defer cancel()
	var t tally
	begin := time.Now()
	for first := true; first || time.Since(begin) < span; first = false {
		c := w.call(s.next)
		s.next++
		value, sent := []byte(c.args), time.Now()
		for range chainLength {
			var err error
			if value, err = s.inc(ctx, value); err != nil {
				t.fault(err.Error())
				return t, err
			}
		}
		took := time.Since(sent)
		if !sameJSON(value, []byte(c.want)) {
			t.fault("wrong answer: " + string(value))
			continue
		}
		t.right++
		t.each = append(t.each, took)
	}
	t.took = time.Since(begin)
	return t, nil
}

// inc calls the tool of the upstream server, and returns the value of its answer.
func (s *straightClient) inc(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "inc", args
	result, err := s.client.CallTool(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result.StructuredContent)
}
