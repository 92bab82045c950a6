package temporal

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	sdklog "go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"toolgraph/execution"
)

var silent = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))

// environment runs the workflow of a run, whose activity is a function.
func environment(t *testing.T, do func(in Input) (Outcome, error)) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent)
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: ActivityName})
	return env
}

var flow = workflows{heartbeat: time.Second, look: func(string) (Progress, error) { return Progress{Steps: 3}, nil }}

// asks is a question that may be answered for an hour.
func asks(env *testsuite.TestWorkflowEnvironment, digest string) Outcome {
	return Outcome{Asked: &Asked{At: "2", Digest: digest, Until: env.Now().Add(time.Hour)}}
}

// Between two attempts the workflow waits for an answer.
func TestWorkflowWaitsForAnswer(t *testing.T) {
	var tasks []Input
	var env *testsuite.TestWorkflowEnvironment
	env = environment(t, func(in Input) (Outcome, error) {
		tasks = append(tasks, in)
		if len(tasks) == 1 {
			return asks(env, "this"), nil
		}
		return Outcome{Status: "finished"}, nil
	})
	for i, a := range []Answer{{At: "2", Digest: "this"}} {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(AnswerSignal, a) }, time.Duration(i+1)*time.Minute)
	}
	env.ExecuteWorkflow(flow.run, Input{Tool: "t", Graph: "g", Args: []byte(`{"n":1}`)})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 2 || tasks[0].Answer != nil || string(tasks[0].Args) != `{"n":1}` {
		t.Fatalf("tasks %+v", tasks)
	}
	if a := tasks[1].Answer; a == nil || a.TimedOut || tasks[1].Args != nil {
		t.Errorf("the run is continued with %+v, %s", a, tasks[1].Args)
	}
}

// An answer that cannot be read is none: the workflow still waits.
func TestWorkflowDropsBrokenAnswer(t *testing.T) {
	var last *Answer
	var env *testsuite.TestWorkflowEnvironment
	env = environment(t, func(in Input) (Outcome, error) {
		if in.Answer == nil {
			return asks(env, "this"), nil
		}
		last = in.Answer
		return Outcome{Status: "finished"}, nil
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(AnswerSignal, 17) }, time.Minute)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(AnswerSignal, Answer{At: "2", Digest: "this"})
	}, 2*time.Minute)
	env.ExecuteWorkflow(flow.run, Input{})
	if err := env.GetWorkflowError(); err != nil || last == nil || last.TimedOut {
		t.Errorf("answer %+v, error %v", last, err)
	}
}

// A question without an answer in time is continued as one that has timed out.
func TestWorkflowTimesOut(t *testing.T) {
	var last *Answer
	var env *testsuite.TestWorkflowEnvironment
	env = environment(t, func(in Input) (Outcome, error) {
		if in.Answer == nil {
			return asks(env, "this"), nil
		}
		last = in.Answer
		return Outcome{Status: "error", Code: execution.CodeUser, Message: "too late"}, nil
	})
	env.ExecuteWorkflow(flow.run, Input{})
	var failed *sdk.ApplicationError
	if err := env.GetWorkflowError(); !errors.As(err, &failed) || failed.Type() != "user" || last == nil || !last.TimedOut {
		t.Errorf("answer %+v, error %v", last, err)
	}
}

// A run that is cancelled while no worker has it is recorded as cancelled by one more attempt.
func TestWorkflowCancelled(t *testing.T) {
	var tasks []Input
	var env *testsuite.TestWorkflowEnvironment
	env = environment(t, func(in Input) (Outcome, error) {
		tasks = append(tasks, in)
		if in.End {
			return Outcome{Status: "cancelled", Code: execution.CodeCancelled, Message: "the run was cancelled"}, nil
		}
		return asks(env, "this"), nil
	})
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(flow.run, Input{Args: []byte(`{}`)})
	if err := env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
	if len(tasks) != 2 || !tasks[1].End || tasks[1].Answer != nil || tasks[1].Args != nil {
		t.Errorf("tasks %+v", tasks)
	}
}

// What can never succeed is not tried again; anything else is.
func TestWorkflowRetries(t *testing.T) {
	for _, test := range []struct {
		err  error
		most int
	}{{failed("not recorded completely"), 1}, {errors.New("the store is locked"), 3}} {
		tries := 0
		env := environment(t, func(Input) (Outcome, error) {
			if tries++; tries < 3 {
				return Outcome{}, test.err
			}
			return Outcome{Status: "finished"}, nil
		})
		env.ExecuteWorkflow(flow.run, Input{})
		if err := env.GetWorkflowError(); tries != test.most || (err == nil) != (tries == 3) {
			t.Errorf("%v: %d tries, %v", test.err, tries, err)
		}
	}
}
