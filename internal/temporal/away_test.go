package temporal

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

var errAway = serviceerror.NewUnavailable("the server is away")

// awayClient is a client of a server that does not answer to the start of a workflow.
type awayClient struct {
	client.Client
	cancelled int
}

func (c *awayClient) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	return nil, errAway
}

func (c *awayClient) CancelWorkflow(context.Context, string, string) error {
	c.cancelled++
	return nil
}

// A run that may have been started although the server has not answered is cancelled, because its client gets an error;
// not that of a call with a key, which an earlier call may have started, and a later one joins.
func TestStartWithoutAnswer(t *testing.T) {
	for keyed, want := range map[bool]int{false: 1, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			c := &awayClient{}
			r := &remote{client: c, log: slog.New(slog.DiscardHandler)}
			if _, err := r.start(t.Context(), "RUN", keyed, Input{Tool: "t"}); !errors.Is(err, errAway) {
				t.Error(err)
			}
			if c.cancelled != want {
				t.Errorf("with a key: %t: cancelled %d times, want %d", keyed, c.cancelled, want)
			}
		})
	}
}

// oneSchedule has one schedule, which cannot be described.
type oneSchedule struct {
	client.ScheduleClient
	client.ScheduleHandle
	err   error
	asked bool
}

func (s *oneSchedule) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	return s, nil
}

func (s *oneSchedule) HasNext() bool { return !s.asked }

func (s *oneSchedule) Next() (*client.ScheduleListEntry, error) {
	s.asked = true
	entry := &client.ScheduleListEntry{ID: "nightly"}
	entry.WorkflowType.Name = WorkflowPrefix + "t"
	return entry, nil
}

func (s *oneSchedule) GetHandle(context.Context, string) client.ScheduleHandle { return s }

func (s *oneSchedule) Describe(context.Context) (*client.ScheduleDescription, error) {
	return nil, s.err
}

// The list is an error when a schedule cannot be read: it would not be complete.
func TestListWithoutAnswer(t *testing.T) {
	s := &scheduling{format: "json"}
	if err := s.list(t.Context(), &oneSchedule{err: errAway}); !errors.Is(err, errAway) {
		t.Errorf("the server is away: %v", err)
	}
}
