package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// client calls tools over HTTP, each call in a request of its own.
type client struct {
	http *http.Client
	url  string
	name string // unique
}

func newClient(url, name string) *client {
	return &client{&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}, url + "/mcp", name}
}

// call calls a tool; with a key a repeated call joins the run. The error is why the answer is not the right one.
func (c *client) call(ctx context.Context, tool, id string, ms int, withKey bool) error {
	key := ""
	if withKey {
		key = fmt.Sprintf(`,"toolgraph/key":%q`, id)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"id":%q,"ms":%d},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}}}`, tool, id, ms, key)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return &lostError{err}
	}
	defer response.Body.Close()
	src, err := read(response)
	switch {
	case err != nil:
		return &lostError{err}
	case response.StatusCode >= http.StatusInternalServerError:
		return &lostError{fmt.Errorf("status %d: %.200s", response.StatusCode, src)}
	}
	var answer struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Sum int }
			IsError           bool
		}
	}
	if err := json.Unmarshal(src, &answer); err != nil || answer.Result.StructuredContent.Sum != sums[tool] {
		return fmt.Errorf("status %d: %.300s (%w)", response.StatusCode, src, err)
	}
	return nil
}

// lostError is a call without an answer, which may be made again.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// read returns the answer of a response: its body, or the last event of its stream.
func read(r *http.Response) ([]byte, error) {
	src, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return src, err
	}
	var last []byte
	for lines := bufio.NewScanner(bytes.NewReader(src)); lines.Scan(); {
		if data, isData := bytes.CutPrefix(lines.Bytes(), []byte("data:")); isData {
			last = bytes.Clone(data)
		}
	}
	if last == nil {
		return nil, io.ErrUnexpectedEOF
	}
	return last, nil
}

// lead is how long calls are in flight before they count: longer than the runs that wait take.
const lead = 1500 * time.Millisecond

// load keeps calls in flight, and returns how long each took that was answered within a span, and the right answers a
// second.
func (c *client) load(ctx context.Context, tool string, ms, inFlight int, withKey bool, span time.Duration) (each []time.Duration, perSecond float64, err error) {
	var mu sync.Mutex // guards each and err
	var all sync.WaitGroup
	begin := time.Now()
	for k := range inFlight {
		all.Go(func() {
			for i := 0; time.Since(begin) < lead+span; i++ {
				sent := time.Now()
				failed := c.call(ctx, tool, fmt.Sprintf("%s-%s-%d-%d-%d", c.name, tool, begin.UnixNano(), k, i), ms, withKey)
				mu.Lock()
				if failed != nil {
					err = failed
					mu.Unlock()
					return
				}
				if at := time.Since(begin); at >= lead && at < lead+span {
					each = append(each, time.Since(sent))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return each, float64(len(each)) / span.Seconds(), err
}
