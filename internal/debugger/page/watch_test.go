package page

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// What is watched has its values at any step, and its errors; a nothing is a value.
func TestWatch(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 3}}`)
	c.until(id, "finished")
	ask := func(at int) []evaluatedJSON {
		body := fmt.Sprintf(`{"sources": ["$.add * 10", "$executionCount('add')", "$.none", "1 +", "{'a': [1]}"], "at": %d}`, at)
		return good[[]evaluatedJSON](c, "POST", "/api/runs/"+id+"/watch", body)
	}
	for at, want := range map[int][2]string{4: {"10", "1"}, 6: {"20", "2"}, 99: {"30", "3"}} {
		got := ask(at)
		if len(got) != 5 || got[0].Value.Text != want[0] || got[1].Value.Text != want[1] {
			t.Fatalf("at %d: %+v", at, got)
		}
		if got[2].Value.Kind != "nothing" || got[3].Error == nil || !strings.Contains(got[3].Error.Caret, "^") || len(got[4].Value.Children) != 1 {
			t.Errorf("at %d: %+v", at, got)
		}
	}
	many := `{"sources": [` + strings.Repeat(`"1",`, mostWatches) + `"1"], "at": 0}`
	if status, _ := c.ask("POST", "/api/runs/"+id+"/watch", many); status != http.StatusUnprocessableEntity {
		t.Errorf("more than are watched at once: %d", status)
	}
}

// A request may ask for any place of a value; there is just nothing past its end.
func TestPlacesPastTheEnd(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(id, "finished")
	for _, source := range []string{"[1, 2]", "{'a': 1}", "'text'", "1"} {
		for _, from := range []string{"9223372036854775807", "-9223372036854775808", "3"} {
			body := fmt.Sprintf(`{"kind": "jsonata", "source": %q, "at": 9223372036854775807, "from": %s}`, source, from)
			if status, answer := c.ask("POST", "/api/runs/"+id+"/evaluate", body); status != http.StatusOK {
				t.Errorf("%s: %d %s", body, status, answer)
			}
		}
	}
}

// However many expressions never end, each request has its answer: that too much was asked, or
// that there is no place for it.
func TestManyEndlessExpressions(t *testing.T) {
	c := openFile(t, graphFile, nil, func(s *Server) { s.look = 200 * time.Millisecond })
	id := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(id, "finished")
	var all sync.WaitGroup
	for range 3 * mostLooks {
		all.Go(func() {
			body := `{"kind": "jsonata", "source": "($f := function($n) { $f($n + 1) }; $f(1))", "at": 1}`
			status, answer := c.ask("POST", "/api/runs/"+id+"/evaluate", body)
			if status == http.StatusOK && strings.Contains(answer, `"error":{`) || status == http.StatusServiceUnavailable {
				return
			}
			t.Errorf("%d %s", status, answer)
		})
	}
	all.Wait()
	if len(c.server.looks) != 0 {
		t.Errorf("%d places are not given back", len(c.server.looks))
	}
}

// A request that finds no place says so when its time is up, and takes one that is free.
func TestPlacesOfExpressions(t *testing.T) {
	s := &Server{looks: make(chan struct{}, mostLooks), look: time.Hour}
	var done func()
	for range mostLooks {
		var err error
		if _, done, err = s.evaluating(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.look = time.Millisecond
	if _, _, err := s.evaluating(t.Context()); err == nil || !strings.Contains(err.Error(), "ask again") {
		t.Errorf("one more than there are places: %v", err)
	}
	done()
	if _, _, err := s.evaluating(t.Context()); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
}

// A long text is read on to its end.
func TestLongTextIsReadOn(t *testing.T) {
	text := strings.Repeat("abcäöü", 50_000)
	top, err := levelOf(text, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := top.Text
	for top.More > 0 {
		if top, err = levelOf(text, nil, top.More); err != nil {
			t.Fatal(err)
		}
		got += top.Text
	}
	if got != text {
		t.Errorf("%d bytes were read of %d", len(got), len(text))
	}
}
