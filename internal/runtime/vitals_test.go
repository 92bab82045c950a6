package runtime

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/telemetry/observe"
)

// observed opens a session with metrics, which records runs at a place.
func observed(t *testing.T, place string) *Loaded {
	t.Helper()
	o := hosting(place)
	o.Metrics, o.Version = true, "1.2.3"
	l, err := Start(t.Context(), o, sweepingGraph(t))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// scraped returns the metrics of Toolgraph itself.
func scraped(t *testing.T, s *Session) map[string]string {
	t.Helper()
	got := httptest.NewRecorder()
	s.metrics.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	all := map[string]string{}
	for line := range strings.Lines(got.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "toolgraph_") {
			all[name] = value
		}
	}
	return all
}

// is compares metrics; "" expects that there is none.
func is(t *testing.T, what string, got map[string]string, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %s is %q, expected %q", what, name, got[name], value)
		}
	}
}

// interruptedRuns records the beginnings of runs of the graph whose process ends.
func interruptedRuns(t *testing.T, l *Loaded, place string, ids ...string) {
	t.Helper()
	other := openStore(t, place)
	j := other.Journal(nil, About(l.Project))
	for _, id := range ids {
		_, err := execution.New(nil, execution.WithJournal(j), execution.WithRunID(id), execution.WithStop(closed())).Run(t.Context(), l.Graphs[0], value.NewMap())
		if !errors.Is(err, execution.ErrSuspended) {
			t.Fatal(err)
		}
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// An interrupted run is counted until this process takes it over, and the takeover once.
func TestTakeoverIsCounted(t *testing.T) {
	place := t.TempDir()
	l := observed(t, place)
	defer l.Close()
	l.vitals.every = 0
	interruptedRuns(t, l, place, "RUN", "OTHER")
	is(t, "before", scraped(t, l.Session), map[string]string{
		`toolgraph_build_info{version="1.2.3"}`: "1", `toolgraph_takeovers_total`: "0", `toolgraph_leases_lost_total`: "0",
		`toolgraph_store_runs{status="interrupted"}`: "2", `toolgraph_store_runs{status="in_doubt"}`: "0", `toolgraph_ready`: "",
		`toolgraph_store_errors_total{operation="write"}`: "0", `toolgraph_store_queue_events`: "0",
	})
	if err := l.History.Claim(t.Context(), "OTHER"); err != nil {
		t.Fatal(err)
	}
	is(t, "claimed", scraped(t, l.Session), map[string]string{
		`toolgraph_takeovers_total`: "1", `toolgraph_store_runs{status="interrupted"}`: "1", `toolgraph_store_runs{status="running"}`: "1",
	})
	ended := make(chan struct{})
	l.options = append(l.options, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
		if e.End != nil {
			close(ended)
		}
	})))
	stop := newResumer(l, time.Minute).start(t.Context())
	<-ended
	stop()
	is(t, "resumed", scraped(t, l.Session), map[string]string{`toolgraph_takeovers_total`: "2", `toolgraph_store_runs{status="interrupted"}`: "0"})
}

// The store is asked once in a while, however often metrics are collected; what is in memory is always new. After the end
// of the session there is what was counted.
func TestStoreIsSeldomAsked(t *testing.T) {
	place := t.TempDir()
	l := observed(t, place)
	interruptedRuns(t, l, place, "FIRST")
	const interrupted, running = `toolgraph_store_runs{status="interrupted"}`, `toolgraph_store_runs{status="running"}`
	is(t, "at first", scraped(t, l.Session), map[string]string{interrupted: "1"})
	interruptedRuns(t, l, place, "SECOND")
	if err := l.History.Claim(t.Context(), "FIRST"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		is(t, "soon", scraped(t, l.Session), map[string]string{interrupted: "1", running: "0", `toolgraph_takeovers_total`: "1"})
	}
	l.vitals.every = 0
	is(t, "later", scraped(t, l.Session), map[string]string{interrupted: "1", running: "1"})
	l.vitals.every = time.Hour
	l.Close()
	left := map[observe.Number]float64{}
	l.vitals.read(t.Context(), func(n observe.Number, value float64, _ ...string) { left[n] = value })
	if _, has := left[observe.StoreRuns]; has || left[observe.Takeovers] != 1 {
		t.Errorf("after the end: %v", left)
	}
}

// A process that serves is ready while /readyz says so; a store that cannot be read gives no numbers of runs.
func TestReadyIsReported(t *testing.T) {
	l := observed(t, t.TempDir())
	defer l.Close()
	l.vitals.every = 0
	l.vitals.serving(nil, nil)
	is(t, "without a history", scraped(t, l.Session), map[string]string{"toolgraph_ready": "1"})
	l.vitals.serving(func(context.Context) error { return errors.New("disk full") }, nil)
	is(t, "a full disk", scraped(t, l.Session), map[string]string{"toolgraph_ready": "0"})
	l.vitals.serving(func(context.Context) error { return nil }, nil)
	l.fleet = l.Session.join()
	is(t, "again", scraped(t, l.Session), map[string]string{"toolgraph_ready": "1"})
	l.fleet.draining = true
	is(t, "draining", scraped(t, l.Session), map[string]string{"toolgraph_ready": "0"})
	if err := l.History.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.History.Census(t.Context()); !errors.Is(err, journal.ErrClosed) {
		t.Fatal(err)
	}
	is(t, "without a store", scraped(t, l.Session), map[string]string{`toolgraph_store_runs{status="running"}`: "", "toolgraph_takeovers_total": "0"})
}

// The load of the servers of the file is reported before their first call; a process without a run history has none.
func TestServersAreReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(`server: {name: g, version: 1.0.0}
mcpServers: {up: {command: nonexistent-program}}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: mcp, server: up, tool: x, next: exit}
  - {id: exit, type: exit}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(t.Context(), Options{Graph: path, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const starts = `toolgraph_upstream_starts_total{outcome="server-start",server="up"}`
	is(t, "before", scraped(t, l.Session), map[string]string{
		`toolgraph_upstream_running{server="up"}`: "0", `toolgraph_upstream_calls_waiting{server="up"}`: "0", starts: "", "toolgraph_store_queue_events": "",
	})
	if _, err := l.Run(t.Context(), l.Engine(), l.Graphs[0], value.NewMap()); err == nil {
		t.Fatal("a program that does not exist was called")
	}
	is(t, "afterwards", scraped(t, l.Session), map[string]string{starts: "1"})
}

// A collection does not wait for a store that does not answer, and does not ask it again meanwhile.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	l := observed(t, t.TempDir())
	defer l.Close()
	l.vitals.every = 0
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	l.vitals.serving(func(context.Context) error {
		asked <- struct{}{}
		<-answer
		return nil
	}, nil)
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	collect := func(ctx context.Context) map[observe.Number]float64 {
		got := map[observe.Number]float64{}
		l.vitals.read(ctx, func(n observe.Number, value float64, _ ...string) { got[n] = value })
		return got
	}
	for range 3 {
		got := collect(impatient)
		if _, has := got[observe.Ready]; has || len(got) == 0 {
			t.Errorf("without an answer: %v", got)
		}
	}
	<-asked
	close(answer)
	if got := collect(t.Context()); got[observe.Ready] != 1 {
		t.Errorf("with an answer: %v", got)
	}
	if n := len(asked); n > 1 { // the second one may have begun after the answer
		t.Errorf("asked %d times more", n)
	}
}
