//go:build bench && linux

package temporal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// This file compares two ways to make runs on Temporal (make bench-temporal): the one of this package, a run as one
// activity over a shared store, and a prototype with an activity for each call. The prototype has no graph: its workflow
// makes N calls, one after the other, so it costs less than a workflow that interprets graphs would.

const prototypeName = "prototype"

// calling is what a run of the prototype does.
type calling struct {
	URL   string
	ID    string
	Calls int
	Ms    int
	Tries int32 // of each call; 0: it is repeated until it has ended
}

func init() { prototype = prototypeWorker }

// prototypeWorker is the worker of the prototype, a process of its own.
func prototypeWorker() {
	c, err := client.Dial(client.Options{HostPort: os.Args[1], Logger: silent})
	if err != nil {
		panic(err)
	}
	w := worker.New(c, os.Args[2], worker.Options{MaxConcurrentActivityTaskPollers: workflowPollers, MaxConcurrentWorkflowTaskPollers: workflowPollers})
	w.RegisterWorkflowWithOptions(prototypeRun, workflow.RegisterOptions{Name: prototypeName})
	w.RegisterActivityWithOptions(prototypeCall, activity.RegisterOptions{Name: prototypeName})
	fmt.Fprintln(os.Stderr, "making runs of the prototype")
	if err := w.Run(worker.InterruptCh()); err != nil {
		panic(err)
	}
}

// prototypeRun is the workflow: its steps are events of Temporal.
func prototypeRun(ctx workflow.Context, in calling) (sum int, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Hour, HeartbeatTimeout: time.Second,
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: in.Tries},
	})
	for i := range in.Calls {
		var v int
		if err := workflow.ExecuteActivity(ctx, prototypeName, in, i).Get(ctx, &v); err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

// prototypeCall is the activity: one call of the upstream tool.
func prototypeCall(ctx context.Context, in calling, i int) (int, error) {
	alive := time.NewTicker(time.Second / beats)
	defer alive.Stop()
	ended := make(chan error, 1)
	go func() {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"step","arguments":{"key":"%s/%d","ms":%d}}}`, in.ID, i, in.Ms)
		answer, err := http.Post(in.URL, "application/json", bytes.NewBufferString(body))
		if err == nil {
			err = answer.Body.Close()
		}
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			return 1, err
		case <-alive.C:
			activity.RecordHeartbeat(ctx)
		}
	}
}

// way is one of the two.
type way struct {
	name  string
	place *place
	up    *upstream
	file  string
	hash  map[string]string
}

func (w *way) worker(t *testing.T) *process {
	if w.file != "" {
		return w.place.worker(t, w.file)
	}
	cmd := exec.Command(os.Args[0], w.place.address, w.place.queue)
	cmd.Env = append(os.Environ(), childVariable+"="+prototypeChild)
	endWithTest(cmd)
	p := &process{Cmd: cmd, name: prototypeName, log: &lockedBuffer{add: make(chan struct{})}, exited: make(chan struct{})}
	cmd.Stderr = p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = cmd.Process.Wait()
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	p.says(t, "making runs of")
	return p
}

// start starts a run. tool is count, whose calls may be repeated, or once, whose calls may not.
func (w *way) start(t *testing.T, tool, id string, calls, ms int) client.WorkflowRun {
	t.Helper()
	o := client.StartWorkflowOptions{ID: w.place.queue + id, TaskQueue: w.place.queue, WorkflowTaskTimeout: taskTime}
	var started client.WorkflowRun
	var err error
	if w.file == "" {
		in := calling{URL: w.up.URL, ID: id, Calls: calls, Ms: ms}
		if tool == "once" {
			in.Tries = 1
		}
		started, err = w.place.client.ExecuteWorkflow(t.Context(), o, prototypeName, in)
	} else {
		args := fmt.Sprintf(`{"id":%q,"n":%d,"ms":%d}`, id, calls, ms)
		started, err = w.place.client.ExecuteWorkflow(t.Context(), o, WorkflowPrefix+tool, Input{Format: format, Tool: tool, Graph: w.hash[tool], Args: []byte(args)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// cpu is the processor time of a process.
func cpu(pid int) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (w *way) measure(t *testing.T, s *server) {
	first := w.worker(t)
	_ = w.start(t, "count", "warm", 3, 0).Get(t.Context(), nil)
	for _, calls := range []int{3, 30, 300} {
		var took []time.Duration
		events := 0
		for round := range 5 {
			began := time.Now()
			run := w.start(t, "count", fmt.Sprintf("%d-%d", calls, round), calls, 0)
			if err := run.Get(t.Context(), nil); err != nil {
				t.Error(err)
			}
			took = append(took, time.Since(began))
			events = 0
			for h := w.place.client.GetWorkflowHistory(t.Context(), run.GetID(), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); h.HasNext(); events++ {
				if _, err := h.Next(); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(took)
		t.Logf("%s: a run of %d calls: p50 %v, longest %v; %d events", w.name, calls, took[2].Round(time.Millisecond), took[4].Round(time.Millisecond), events)
	}

	const many = 500
	began, server, own := time.Now(), cpu(s.cmd.Process.Pid), cpu(first.Process.Pid)
	runs := make([]client.WorkflowRun, many)
	for i := range runs {
		runs[i] = w.start(t, "count", fmt.Sprintf("many-%d", i), 3, 0)
	}
	for _, run := range runs {
		if err := run.Get(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
	took := time.Since(began)
	t.Logf("%s: %d runs of 3 calls at once: %v, %.0f /s; CPU of a run: %.1f ms in the server, %.1f ms in the worker", w.name, many, took.Round(time.Millisecond), many/took.Seconds(),
		(cpu(s.cmd.Process.Pid)-server).Seconds()*1e3/many, (cpu(first.Process.Pid)-own).Seconds()*1e3/many)
	first.kill()
	for _, tool := range []string{"count", "once"} {
		w.killed(t, tool)
	}
}

// killed kills one of two workers in the middle of 40 runs of 10 calls of 30 ms.
func (w *way) killed(t *testing.T, tool string) {
	const runs, calls = 40, 10
	dies, other := w.worker(t), w.worker(t)
	defer other.kill()
	begun := w.up.all
	started := make([]client.WorkflowRun, runs)
	for i := range started {
		started[i] = w.start(t, tool, fmt.Sprintf("%s-%d", tool, i), calls, 30)
	}
	w.up.until(t, "a third of the calls", func() bool { return w.up.all-begun >= runs*calls/3 })
	dies.kill()
	began := time.Now()
	right, failed, unsent := 0, 0, 0
	for i, run := range started {
		err := run.Get(t.Context(), nil)
		var ended *sdk.WorkflowExecutionError
		switch {
		case err == nil:
			right++
		case errors.As(err, &ended):
			failed++
			last := 0
			for last < calls && w.up.count(fmt.Sprintf("%s-%d/%d", tool, i, last)) > 0 {
				last++
			}
			if last == 0 {
				unsent++
			}
		default:
			t.Error(err)
		}
	}
	twice := 0
	for i := range runs {
		for k := range calls {
			twice += max(0, w.up.count(fmt.Sprintf("%s-%d/%d", tool, i, k))-1)
		}
	}
	t.Logf("%s: a worker killed, %s: all ended %v later, %d right, %d failed (%d of them before their first call), %d calls made again", w.name, tool, time.Since(began).Round(time.Millisecond), right, failed, unsent, twice)
}

// unbound are the limits of the development server that are raised.
var unbound = []string{
	"history.transferProcessorMaxPollRPS", "history.timerProcessorMaxPollRPS", "history.visibilityProcessorMaxPollRPS", "history.rps", "history.persistenceMaxQPS",
	"matching.rps", "matching.persistenceMaxQPS", "frontend.rps", "frontend.namespaceRPS", "frontend.persistenceMaxQPS",
}

func TestBench(t *testing.T) {
	program := temporalProgram(t)
	for _, limits := range []string{"as it is", "limits raised"} {
		var flags []string
		if limits != "as it is" {
			for _, key := range unbound {
				flags = append(flags, "--dynamic-config-value", key+"=100000")
			}
		}
		s, err := startServer(program, "", flags...)
		if err != nil { // it takes a second port, which may be in use
			s, err = startServer(program, "", flags...)
		}
		if err != nil {
			t.Fatal(err)
		}
		u := newUpstream(t)
		ours := &way{name: limits + ": one activity a run", place: s.place(t), up: u, file: countingFile(t, u), hash: map[string]string{}}
		for _, tool := range []string{"count", "once"} {
			if ours.hash[tool], err = hashOf(ours.file, tool); err != nil {
				t.Fatal(err)
			}
		}
		ours.measure(t, s)
		theirs := &way{name: limits + ": one activity a call", place: s.place(t), up: newUpstream(t)}
		theirs.measure(t, s)
		s.stop()
	}
}
