package temporal

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"

	"toolgraph/execution/journal"
	"toolgraph/internal/runtime/state"
)

var metricsAddress = regexp.MustCompile(`at (http://[^/]+)/`)

// observed returns what a path of a process answers over HTTP.
func observed(t *testing.T, p *process, path string) string {
	t.Helper()
	log, _ := p.log.now()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, metricsAddress.FindStringSubmatch(log)[1]+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return http.StatusText(answer.StatusCode) + "\n" + string(body)
}

// The metrics of Temporal's SDK are among those of the process, of workers and of serve; both say whether they are ready.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	worker := p.worker(t, file, "--http", "127.0.0.1:0")
	worker.says(t, "metrics at")
	serve := p.command(t, "serve", file, "--http", "127.0.0.1:0", "--metrics")
	serve.says(t, "/mcp")
	if err := ends(t, p.start(t, file, "count", `{"id":"m","n":1,"ms":1}`)); err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		of    *process
		wants []string
	}{
		"worker": {worker, []string{
			"temporal_activity_execution_latency_seconds_bucket{", `activity_type="toolgraph.make"`, `workflow_type="toolgraph.count"`,
			"# TYPE temporal_request_total counter\n", "# TYPE temporal_num_pollers gauge\n", "toolgraph_runs_total{", "toolgraph_ready 1\n",
		}},
		"serve": {serve, []string{"temporal_request_total{", "toolgraph_ready 1\n"}},
	} {
		eventually(t, what, func() (any, bool) {
			got := observed(t, test.of, "/metrics")
			for _, want := range test.wants {
				if !strings.Contains(got, want) {
					return want + " is not in " + got, false
				}
			}
			return nil, true
		})
		if got := observed(t, test.of, "/readyz"); !strings.HasPrefix(got, "OK\n") {
			t.Errorf("%s is not ready: %s", what, got)
		}
	}
}

// polls counts the requests that wait at a server.
type polls struct {
	mu        sync.Mutex
	now, most map[string]int
}

func (p *polls) intercept(ctx context.Context, method string, in, out any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	name := filepath.Base(method)
	p.add(name, 1)
	defer p.add(name, -1)
	return invoke(ctx, method, in, out, cc, options...)
}

func (p *polls) add(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now[name] += n
	p.most[name] = max(p.most[name], p.now[name])
}

// A worker of many graphs waits with one request for each at the server.
func TestFewPolls(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	count := &polls{now: map[string]int{}, most: map[string]int{}}
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: p.address, Logger: silent,
		ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(count.intercept)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	store, err := state.Open(p.state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	graphs := make([]string, 200)
	for i := range graphs {
		graphs[i] = rand.Text()
	}
	w, err := startWorkers(c, making(nil), graphs, workerOptions{
		queues: queues{p.queue}, silence: time.Second, runs: 3, sweep: time.Hour, store: store, log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.stop()
	const forRuns, forFlows = "PollActivityTaskQueue", "PollWorkflowTaskQueue"
	eventually(t, "each graph is polled", func() (any, bool) {
		count.mu.Lock()
		defer count.mu.Unlock()
		return count.most, count.now[forRuns] >= len(graphs) && count.now[forFlows] > 0
	})
	if count.most[forRuns] > len(graphs) || count.most[forFlows] > workflowPollers {
		t.Errorf("requests that wait: %v, expected %d for runs and up to %d for workflows", count.most, len(graphs), workflowPollers)
	}
	for graphs, want := range map[int]int{0: 2, 1: 2, 32: 2, 33: 1, 64: 1, 5000: 1} {
		if got := pollersOf(graphs); got != want {
			t.Errorf("%d graphs have %d requests each, want %d", graphs, got, want)
		}
	}
}

// serve and worker take several files and directories of them.
func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file, dir := countingFile(t, u), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(asking, "$UP", u.URL), "server: {name: test", "server: {name: other")
	write(t, filepath.Join(dir, "below"), "ask.yaml", text)
	w := p.command(t, "worker", file, dir, "--silence", "1s")
	w.says(t, "making runs of 3 tools: ask, count, once")
	c := p.serve(t, file, dir)
	if got := c.wait(c.call("count", `{"id":"a","n":2,"ms":1}`)); got.text() != `{"sum":2,"id":"a"}` {
		t.Errorf("%s %s", got.Result, got.Error)
	}
	id := c.call("ask", `{"id":"b"}`)
	c.asked("elicitation/create")
	c.cancel(id)
	p.until(t, "one has finished, and one was cancelled", func(runs []journal.Run) bool {
		return len(runs) == 2 && runs[0].Status == journal.Cancelled && runs[1].Status == journal.Finished
	})
}

// A run that is cancelled right after the death of its worker ends, although its activity is begun and nothing is heard of it.
func TestCancelAfterDeath(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	dies := p.worker(t, file)
	p.worker(t, askFile(t, u))
	run := p.start(t, file, "once", `{"id":"d","n":3,"ms":60000}`)
	u.until(t, "the call", func() bool { return u.calls["d/0"] == 1 })
	eventually(t, "it is alive", func() (any, bool) { now := p.details(t, run.GetID()); return now, now.Calls == 1 })
	dies.kill()
	if err := p.client.CancelWorkflow(t.Context(), run.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := ends(t, run); !sdk.IsCanceledError(err) {
		t.Errorf("the workflow ends with %v", err)
	}
	if got := p.recorded(t, run.GetID()); got.Status != journal.Cancelled {
		t.Errorf("recorded %+v", got)
	}
}
