package page

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// listen reads events until there are enough.
func (c *client) listen(last string, enough func(id, kind, data string) bool) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	var id, kind string
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			if enough(id, kind, value) {
				return
			}
		}
	}
	c.t.Fatalf("the stream ended: %v", lines.Err())
}

// A stream that comes back gets what it missed; one with an older id gets the event missed.
func TestStreamGoesOn(t *testing.T) {
	c := open(t, nil)
	var first string
	c.listen("", func(id, kind, _ string) bool {
		first = id
		return kind == "missed"
	})
	c.until(c.start(`{"tool": "count", "args": {"n": 1}}`), "finished")
	run := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(run, "finished")
	var seen []string
	c.listen(first, func(id, kind, data string) bool {
		seen = append(seen, id)
		return kind == "run" && strings.Contains(data, run) && strings.Contains(data, `"finished"`)
	})
	var again []string
	c.listen(seen[0], func(id, _, _ string) bool {
		again = append(again, id)
		return id == seen[len(seen)-1]
	})
	if fmt.Sprint(again) != fmt.Sprint(seen[1:]) {
		t.Errorf("after %s came %v, expected %v", seen[0], again, seen[1:])
	}
	for range remembered + 1 {
		c.server.hub.publish("project", nil)
	}
	for _, old := range []string{first, "other-1", "nonsense"} {
		c.listen(old, func(_, kind, _ string) bool {
			if kind != "missed" {
				t.Errorf("after %s comes %s", old, kind)
			}
			return true
		})
	}
}

// The end of a run is published also when a request finds the run ended while an earlier state of
// it is being published.
func TestEndIsPublished(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 1}, "pause": true}`)
	c.until(id, "paused")
	run := c.server.runs.get(id)
	rev := func() int {
		run.mu.Lock()
		defer run.mu.Unlock()
		return run.Rev
	}
	c.server.hub.mu.Lock() // nothing can be published
	var first string
	func() {
		defer c.server.hub.mu.Unlock()
		first = c.server.hub.id(c.server.hub.last)
		before := rev()
		good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "step"}`)
		// Until the request and what is to be published have looked at the run. When an earlier state was already being
		// published, only the request looks.
		for end := time.Now().Add(5 * time.Second); rev() < before+2 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
		c.until(id, "finished")
	}()
	c.listen(first, func(_, kind, data string) bool { return kind == "run" && strings.Contains(data, `"finished"`) })
}

func TestTooManyStreams(t *testing.T) {
	c := open(t, nil)
	for range mostStreams {
		select {
		case c.server.hub.streams <- struct{}{}:
		default:
			t.Fatal("a stream is rejected too early")
		}
	}
	if status, answer := c.ask("GET", "/api/events", ""); status != http.StatusServiceUnavailable || !strings.Contains(answer, "pages are open") {
		t.Errorf("one stream more: %d %s", status, answer)
	}
	<-c.server.hub.streams
	c.listen("", func(_, kind, _ string) bool { return kind == "missed" })
}
