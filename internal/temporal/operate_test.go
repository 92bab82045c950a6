package temporal

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"toolgraph/execution/journal"
)

// start starts the workflow of a run as serve does, and returns its id.
func (p *place) start(t *testing.T, file, tool, args string) client.WorkflowRun {
	t.Helper()
	hash, err := hashOf(file, tool)
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{client: p.client, queues: queues{p.queue}}
	run, err := r.start(t.Context(), fmt.Sprintf("%s-%s-%d", p.queue, tool, time.Now().UnixNano()), false,
		Input{Format: format, Tool: tool, Graph: hash, Args: []byte(args)})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// eventually waits until something is as wanted.
func eventually(t *testing.T, what string, is func() (now any, ok bool)) {
	t.Helper()
	for guard := time.Now().Add(hang); ; time.Sleep(50 * time.Millisecond) {
		now, ok := is()
		if ok {
			return
		}
		if time.Now().After(guard) {
			t.Fatalf("hangs: %s: %+v", what, now)
		}
	}
}

// ends waits for the end of a workflow.
func ends(t *testing.T, run client.WorkflowRun) error {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	return run.Get(ctx, nil)
}

// progress asks a workflow.
func (p *place) progress(t *testing.T, run string) (now Progress) {
	t.Helper()
	got, err := p.client.QueryWorkflow(t.Context(), run, "", ProgressQuery)
	if err == nil {
		err = got.Get(&now)
	}
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// details returns what the worker of a run has said last.
func (p *place) details(t *testing.T, run string) (now Progress) {
	t.Helper()
	found, err := p.client.DescribeWorkflow(t.Context(), run, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found.RawResponse.GetPendingActivities() {
		if d := a.GetHeartbeatDetails(); d != nil {
			if err := converter.GetDefaultDataConverter().FromPayloads(d, &now); err != nil {
				t.Fatal(err)
			}
		}
	}
	return now
}

// recorded waits until a run has ended, and returns it.
func (p *place) recorded(t *testing.T, id string) (run journal.Run) {
	t.Helper()
	p.until(t, "the run has ended", func(runs []journal.Run) bool {
		i := slices.IndexFunc(runs, func(r journal.Run) bool { return r.ID == id && r.HasEnded() })
		if i >= 0 {
			run = runs[i]
		}
		return i >= 0
	})
	return run
}

// askFile writes a file with the tool that asks.
func askFile(t *testing.T, u *upstream) string {
	t.Helper()
	return write(t, t.TempDir(), "ask.yaml", strings.ReplaceAll(asking, "$UP", u.URL))
}

// What operators see: the tool in the type of the workflow, the node and the counts by a query and in the details of the activity.
// Any worker answers the query, also one that does not have the graph. A cancelled run whose worker has died, and no other has its
// graph, ends.
func TestOperatorsSee(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file, other := countingFile(t, u), askFile(t, u)
	dies := p.worker(t, file)
	run := p.start(t, file, "once", `{"id":"s","n":3,"ms":60000}`)
	u.until(t, "the call", func() bool { return u.calls["s/0"] == 1 })
	is := func(now Progress) (any, bool) {
		return now, slices.Equal(now.Nodes, []string{"call"}) && now.Steps == 2 && now.Calls == 1 && now.Last == "more"
	}
	eventually(t, "details", func() (any, bool) { return is(p.details(t, run.GetID())) })
	now := p.progress(t, run.GetID())
	if _, ok := is(now); !ok || now.Status != "running" || now.WaitingFor != "" {
		t.Errorf("progress %+v", now)
	}
	eventually(t, "the list of the tool", func() (any, bool) {
		found, err := p.client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: "WorkflowType = 'toolgraph.once' AND TaskQueue = '" + p.queue + "'",
		})
		return err, err == nil && len(found.GetExecutions()) == 1
	})
	dies.kill()
	p.worker(t, other)
	eventually(t, "it waits", func() (any, bool) {
		now := p.progress(t, run.GetID())
		return now, now.Status == "interrupted" && now.WaitingFor == forWorker && now.Calls == 1
	})
	if err := p.client.CancelWorkflow(t.Context(), run.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := ends(t, run); !sdk.IsCanceledError(err) {
		t.Errorf("the workflow ends with %v", err)
	}
	if got := p.recorded(t, run.GetID()); got.Status != journal.Cancelled || !strings.Contains(got.Failure.Message, "no worker has ended it") {
		t.Errorf("recorded %+v", got)
	}
}

// A run that no worker has begun ends when it is cancelled.
func TestCancelBeforeWorker(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	p.worker(t, askFile(t, u))
	run := p.start(t, countingFile(t, u), "once", `{"id":"n","n":3,"ms":1}`)
	eventually(t, "it waits", func() (any, bool) {
		now := p.progress(t, run.GetID())
		return now, now.WaitingFor == forWorker && now.Status == ""
	})
	if err := p.client.CancelWorkflow(t.Context(), run.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := ends(t, run); !sdk.IsCanceledError(err) {
		t.Errorf("the workflow ends with %v", err)
	}
}

// A run whose workflow is terminated ends: its worker cancels the call in flight, and a run that waits for an answer is ended by any
// worker.
func TestTerminate(t *testing.T) {
	places(t, func(t *testing.T, p *place) {
		u := newUpstream(t)
		file, asks := countingFile(t, u), askFile(t, u)
		p.worker(t, file)
		c := p.serve(t, file)
		call := c.call("once", `{"id":"t","n":3,"ms":60000}`)
		u.until(t, "the call", func() bool { return u.calls["t/0"] == 1 })
		var run client.WorkflowRun
		p.until(t, "it is recorded", func(runs []journal.Run) bool {
			if len(runs) > 0 {
				run = p.client.GetWorkflow(t.Context(), runs[0].ID, "")
			}
			return len(runs) > 0
		})
		if err := p.client.TerminateWorkflow(t.Context(), run.GetID(), "", "wrong month"); err != nil {
			t.Fatal(err)
		}
		if got := c.wait(call); !strings.Contains(got.text(), "its workflow was terminated by ") || !strings.Contains(got.text(), ": wrong month") {
			t.Errorf("the client gets %s %s", got.Result, got.Error)
		}
		u.until(t, "the call is cancelled", func() bool { return !u.cancelled["t/0"].IsZero() })
		said := func(run client.WorkflowRun, reason string) {
			t.Helper()
			if got := p.recorded(t, run.GetID()); got.Status != journal.Cancelled || !strings.Contains(got.Failure.Message, "its workflow was terminated") ||
				!strings.Contains(got.Failure.Message, ": "+reason) {
				t.Errorf("recorded %+v, %+v", got, got.Failure)
			}
		}
		said(run, "wrong month")

		asker := p.worker(t, asks)
		run = p.start(t, asks, "ask", `{"id":"w"}`)
		eventually(t, "it waits", func() (any, bool) {
			now := p.progress(t, run.GetID())
			return now, now.WaitingFor == forAnswer && len(now.Nodes) == 1 && !now.Until.IsZero()
		})
		asker.kill()
		if err := p.client.TerminateWorkflow(t.Context(), run.GetID(), "", "no answer"); err != nil {
			t.Fatal(err)
		}
		said(run, "no answer")
	})
}

// reset resets a workflow to its beginning.
func (p *place) reset(t *testing.T, run client.WorkflowRun) client.WorkflowRun {
	t.Helper()
	got, err := p.client.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: "default", WorkflowExecution: &common.WorkflowExecution{WorkflowId: run.GetID()}, Reason: "try again",
		WorkflowTaskFinishEventId: 4, RequestId: fmt.Sprint(time.Now().UnixNano()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.client.GetWorkflow(t.Context(), run.GetID(), got.GetRunId())
}

// A workflow that is reset makes a new attempt of the same run: no call that is recorded is made again, and a run that has ended
// has the end that it had.
func TestReset(t *testing.T) {
	places(t, func(t *testing.T, p *place) {
		u := newUpstream(t)
		file := countingFile(t, u)
		p.worker(t, file)
		run := p.start(t, file, "once", `{"id":"r","n":6,"ms":300}`)
		u.until(t, "two calls", func() bool { return u.all >= 2 })
		if err := ends(t, p.reset(t, run)); err != nil {
			t.Errorf("reset in the middle: %v", err)
		}
		first := p.recorded(t, run.GetID())
		if err := ends(t, p.reset(t, run)); err != nil {
			t.Errorf("reset after the end: %v", err)
		}
		if again := p.recorded(t, run.GetID()); first.Status != journal.Finished || again.Steps != first.Steps || !again.Ended.Equal(first.Ended) {
			t.Errorf("recorded %+v, then %+v", first, again)
		}
		for i := range 6 {
			if n := u.count(fmt.Sprintf("r/%d", i)); n != 1 {
				t.Errorf("call %d was made %d times", i, n)
			}
		}

		run = p.start(t, file, "once", `{"id":"c","n":3,"ms":60000}`)
		u.until(t, "the call", func() bool { return u.calls["c/0"] == 1 })
		if err := p.client.CancelWorkflow(t.Context(), run.GetID(), ""); err != nil {
			t.Fatal(err)
		}
		if err := ends(t, run); !sdk.IsCanceledError(err) {
			t.Fatal(err)
		}
		if err := ends(t, p.reset(t, run)); !sdk.IsCanceledError(err) || u.count("c/0") != 1 {
			t.Errorf("reset of a cancelled run: %v, %d calls", err, u.count("c/0"))
		}
	})
}

// One bound holds for the runs of all graphs of a worker.
func TestOneBound(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file, "--max-runs", "3")
	var runs []client.WorkflowRun
	for i := range 6 {
		for _, tool := range []string{"count", "once"} {
			runs = append(runs, p.start(t, file, tool, fmt.Sprintf(`{"id":"%s%d","n":2,"ms":200}`, tool, i)))
		}
	}
	for _, run := range runs {
		if err := ends(t, run); err != nil {
			t.Error(err)
		}
	}
	if u.most > 3 || u.all != 24 {
		t.Errorf("%d calls at a time, expected 3; %d in all, expected 24", u.most, u.all)
	}
}

// What has happened in workflows of the version before is repeated as it was: the histories are those that it left.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d histories, %v", len(files), err)
	}
	for _, file := range files {
		replayer := worker.NewWorkflowReplayer()
		replayer.RegisterDynamicWorkflow(flow.named, workflow.DynamicRegisterOptions{})
		if err := replayer.ReplayWorkflowHistoryFromJSONFile(silent, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
