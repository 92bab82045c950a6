package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// scheduling is what the commands below schedule share.
type scheduling struct {
	std    program.Streams
	server connection
	format string
}

func newSchedule(std program.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run a tool at set times",
		Long: `Run a tool at set times. Temporal has the schedules and starts their runs; a worker that has the
graph makes them. The id of a run is that of its schedule and the time, as in
nightly-2026-01-31T02:00:00Z, and the run is recorded like every other: see toolgraph runs.`,
		Example: `  toolgraph-temporal schedule create nightly -g graph.yaml tidy_up directory=/data --cron "0 2 * * *" --time-zone Europe/Berlin
  toolgraph-temporal schedule list
  toolgraph-temporal schedule trigger nightly`,
	}
	cmd.AddCommand(newScheduleCreate(std), newScheduleList(std), newScheduleShow(std),
		newSchedulePause(std, true), newSchedulePause(std, false), newScheduleTrigger(std), newScheduleDelete(std))
	return program.OnlyCommands(cmd)
}

// command adds to a command what all of them have; do gets a client.
func (s *scheduling) command(cmd *cobra.Command, do func(ctx context.Context, c client.ScheduleClient, id string) error) *cobra.Command {
	s.register(cmd)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return program.Usagef("expected the id of one schedule, got %s", wording.Count(len(args), "argument"))
		}
		return checkID(args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.connected(cmd.Context(), func(ctx context.Context, c client.Client) error {
			return do(ctx, c.ScheduleClient(), args[0])
		})
	}
	return cmd
}

func (s *scheduling) register(cmd *cobra.Command) {
	s.server.register(cmd)
	program.FormatFlag(cmd, &s.format)
}

// connected calls do with a client.
func (s *scheduling) connected(ctx context.Context, do func(context.Context, client.Client) error) error {
	log, err := s.std.Warnings()
	if err != nil {
		return err
	}
	c, err := s.server.dial(ctx, log, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

var errNoSchedule = errors.New("there is no schedule")

// about replaces the error of a schedule that does not exist.
func about(id string, err error) error {
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return fmt.Errorf("%w %q in this namespace; list them with: toolgraph-temporal schedule list", errNoSchedule, id)
	}
	return err
}

// createFlags are the flags of schedule create.
type createFlags struct {
	scheduling
	call            *program.Calling
	queues          queues
	times           timesFlags
	paused, replace bool
	pauseOnFailure  bool
	note            string
}

func newScheduleCreate(std program.Streams) *cobra.Command {
	f := &createFlags{scheduling: scheduling{std: std}}
	cmd := &cobra.Command{
		Use:   "create ID TOOL [key=value …]",
		Short: "Create a schedule of runs of a tool",
		Long: `Create a schedule of runs of a tool. The arguments are those of toolgraph run, and are validated
before anything is created. The schedule has the version of the graph that the file has now:
after a change of the graph, create it again with --replace.`,
		Example: `  toolgraph-temporal schedule create nightly -g graph.yaml tidy_up directory=/data --cron "0 2 * * *"
  toolgraph-temporal schedule create report -g graph.yaml report --args - --every 15m --overlap buffer-one < args.json`,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return program.Usagef("expected the id of the schedule, a tool of the graph file and its arguments, got %s", wording.Count(len(args), "argument"))
		}
		return f.create(cmd.Context(), args[0], args[1:])
	}
	f.call = program.NewCalling(cmd, std)
	f.queues.register(cmd)
	f.register(cmd)
	f.times.register(cmd)
	cmd.Flags().BoolVar(&f.paused, "paused", false, "start no run until the schedule is unpaused")
	cmd.Flags().BoolVar(&f.pauseOnFailure, "pause-on-failure", false, "pause the schedule when a run fails")
	cmd.Flags().StringVar(&f.note, "note", "", "`text` that the schedule is listed with")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "change the schedule with this id, if there is one; whether it is paused stays")
	return cmd
}

func (f *createFlags) create(ctx context.Context, id string, words []string) error {
	if err := checkID(id); err != nil {
		return err
	}
	spec, policy, err := f.times.spec()
	if err != nil {
		return err
	}
	call, err := f.call.Load(ctx, words)
	if err != nil {
		return err
	}
	args, err := value.Encode(call.Args)
	if err != nil {
		return err
	}
	if len(args) > largestArgs {
		return program.Usagef("the arguments have %d bytes, expected at most %d; let the tool read large data itself, from a file or a resource", len(args), largestArgs)
	}
	options := client.ScheduleOptions{
		ID: id, Spec: spec, Overlap: policy, CatchupWindow: f.times.catchUp, PauseOnFailure: f.pauseOnFailure, Note: f.note, Paused: f.paused,
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: WorkflowPrefix + call.Tool, TaskQueue: f.queues.prefix,
			WorkflowTaskTimeout: taskTime, Memo: map[string]any{"tool": call.Tool},
			Args: []any{Input{Format: format, Tool: call.Tool, Graph: call.Graph, Args: args}},
		},
	}
	if asks := f.call.Asks(); len(asks) > 0 {
		f.std.Printf("toolgraph: warning: the tool asks its user (node %s), and a scheduled run has none: it waits until the time for the answer is over", wording.List(asks))
	}
	return f.connected(ctx, func(ctx context.Context, c client.Client) error {
		replaced, err := f.put(ctx, c.ScheduleClient(), &options)
		if err != nil {
			return err
		}
		described, err := f.describe(ctx, c.ScheduleClient(), id)
		if err != nil {
			return err
		}
		f.warn(ctx, c, described, f.queues.of(call.Graph))
		if f.format == "json" {
			return f.std.PrintJSON(described)
		}
		done := "created"
		if replaced {
			done = "changed"
		}
		f.std.Printf("toolgraph: %s schedule %s; next run: %s", done, id, nextText(described))
		return nil
	})
}

// put creates a schedule, or with --replace changes the one with its id.
func (f *createFlags) put(ctx context.Context, c client.ScheduleClient, o *client.ScheduleOptions) (replaced bool, err error) {
	_, err = c.Create(ctx, *o)
	if errors.Is(err, sdk.ErrScheduleAlreadyRunning) {
		if !f.replace {
			return false, fmt.Errorf("there is a schedule %q already; change it with --replace, or choose another id", o.ID)
		}
		replaced = true
		err = c.GetHandle(ctx, o.ID).Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			state := in.Description.Schedule.State
			if o.Note != "" {
				state.Note = o.Note
			}
			return &client.ScheduleUpdate{Schedule: &client.Schedule{
				Action: o.Action, Spec: &o.Spec, State: state,
				Policy: &client.SchedulePolicies{Overlap: o.Overlap, CatchupWindow: o.CatchupWindow, PauseOnFailure: o.PauseOnFailure},
			}}, nil
		}})
	}
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		err = fmt.Errorf("the Temporal server refuses the schedule (%s): %w", f.times.text(), err)
	}
	return replaced, err
}

// warn prints what keeps the runs of a schedule from starting.
func (f *createFlags) warn(ctx context.Context, c client.Client, s *scheduled, queue string) {
	if len(s.Next) == 0 && f.times.until == "" {
		f.std.Printf("toolgraph: warning: no time matches %s", s.Times)
	}
	pollers, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: s.namespace, TaskQueue: &taskqueue.TaskQueue{Name: queue}, TaskQueueType: enums.TASK_QUEUE_TYPE_ACTIVITY,
	})
	if err == nil && len(pollers.GetPollers()) == 0 {
		f.std.Printf("toolgraph: warning: no worker has this version of the graph, and runs wait for one; start one: toolgraph-temporal worker -g FILE")
	}
}

// newSchedulePause returns the command pause, or unpause.
func newSchedulePause(std program.Streams, pauses bool) *cobra.Command {
	s, note := &scheduling{std: std}, ""
	cmd := &cobra.Command{Use: "unpause ID", Short: "Start runs of a paused schedule again"}
	done, then := "unpaused", ""
	if pauses {
		cmd = &cobra.Command{Use: "pause ID", Short: "Start no more runs of a schedule until it is unpaused"}
		done, then = "paused", "; runs that have started go on"
	}
	cmd.Flags().StringVar(&note, "note", done+" by toolgraph-temporal", "`text` that the schedule is listed with")
	return s.command(cmd, func(ctx context.Context, c client.ScheduleClient, id string) (err error) {
		if pauses {
			err = c.GetHandle(ctx, id).Pause(ctx, client.SchedulePauseOptions{Note: note})
		} else {
			err = c.GetHandle(ctx, id).Unpause(ctx, client.ScheduleUnpauseOptions{Note: note})
		}
		switch {
		case err != nil:
			return about(id, err)
		case s.format == "json":
			return s.print(ctx, c, id)
		}
		s.std.Printf("toolgraph: %s schedule %s%s", done, id, then)
		return nil
	})
}

func newScheduleDelete(std program.Streams) *cobra.Command {
	s := &scheduling{std: std}
	cmd := &cobra.Command{Use: "delete ID", Short: "Delete a schedule; its runs stay, also those that have not ended"}
	return s.command(cmd, func(ctx context.Context, c client.ScheduleClient, id string) error {
		if err := about(id, c.GetHandle(ctx, id).Delete(ctx)); err != nil {
			return err
		}
		if s.format == "json" {
			return s.std.PrintJSON(map[string]string{"deleted": id})
		}
		s.std.Printf("toolgraph: deleted schedule %s", id)
		return nil
	})
}

func newScheduleTrigger(std program.Streams) *cobra.Command {
	s, overlap := &scheduling{std: std}, ""
	cmd := &cobra.Command{
		Use:   "trigger ID",
		Short: "Start a run of a schedule now, and print its id",
		Long: `Start a run of a schedule now, also of a paused one, and print the id of the run. While another
run of the schedule has not ended, --overlap decides, or else the policy of the schedule.`,
	}
	cmd.Flags().StringVar(&overlap, "overlap", "", "what happens while another run has not ended: "+overlapNames())
	return s.command(cmd, func(ctx context.Context, c client.ScheduleClient, id string) error {
		var policy enums.ScheduleOverlapPolicy
		if overlap != "" {
			var err error
			if policy, err = policyOf(overlap); err != nil {
				return err
			}
		}
		run, err := trigger(ctx, c.GetHandle(ctx, id), policy)
		if err != nil {
			return about(id, err)
		}
		if s.format == "json" {
			return s.std.PrintJSON(map[string]string{"run": run})
		}
		return s.std.PrintTable([][]string{{run}})
	})
}

// trigger starts a run of a schedule and returns its id. Temporal names runs after the second in which
// they start, and starts no other run of that name. So it waits for the next second if need be.
func trigger(ctx context.Context, handle client.ScheduleHandle, overlap enums.ScheduleOverlapPolicy) (string, error) {
	before, err := described(ctx, handle)
	if err == nil && sameSecond(before) {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		before, err = described(ctx, handle)
	}
	if err != nil {
		return "", err
	}
	if err := handle.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: overlap}); err != nil {
		return "", err
	}
	return started(ctx, handle, before)
}

// sameSecond reports whether a schedule may have started a run in this second; the clock of this machine
// may be behind, or up to a second ahead.
func sameSecond(d *client.ScheduleDescription) bool {
	n := len(d.Info.RecentActions)
	return n > 0 && time.Since(d.Info.RecentActions[n-1].ActualTime) < 2*time.Second
}

// described describes a schedule. A Temporal server asks the schedule's own workflow, and while that is
// busy the question may end without an answer: it is asked again.
func described(ctx context.Context, handle client.ScheduleHandle) (*client.ScheduleDescription, error) {
	for try := 1; ; try++ {
		d, err := handle.Describe(ctx)
		if code := serviceerror.ToStatus(err).Code(); try == describeTries || ctx.Err() != nil || code != codes.Canceled && code != codes.DeadlineExceeded {
			return d, err
		}
	}
}

const describeTries = 3

// triggerTime is how long Temporal may take to start a run.
const triggerTime = 10 * time.Second

// started returns the id of the run that a schedule has started since it was described before.
func started(ctx context.Context, handle client.ScheduleHandle, before *client.ScheduleDescription) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, triggerTime, fmt.Errorf(
		"schedule %q has started no run within %v; it waits for the run before, or see: toolgraph-temporal schedule show %s", handle.GetID(), triggerTime, handle.GetID()))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := described(ctx, handle)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case err != nil:
			return "", err
		case now.Info.NumActionsSkippedOverlap > before.Info.NumActionsSkippedOverlap:
			return "", fmt.Errorf("schedule %q started no run: run %s has not ended; start one beside it with --overlap allow-all", handle.GetID(), strings.Join(runsOf(now.Info.RunningWorkflows), ", "))
		case now.Info.NumActions > before.Info.NumActions && len(now.Info.RecentActions) > 0:
			if last := now.Info.RecentActions[len(now.Info.RecentActions)-1].StartWorkflowResult; last != nil {
				return last.WorkflowID, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
