package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// scheduled is a schedule, as it is shown.
type scheduled struct {
	ID      string `json:"id"`
	Tool    string `json:"tool,omitempty"`
	Graph   string `json:"graph,omitempty"` // hash
	Queue   string `json:"taskQueue"`
	Times   string `json:"times"`
	Zone    string `json:"timeZone"`
	Overlap string `json:"overlap"`
	Jitter  string `json:"jitter,omitempty"`
	CatchUp string `json:"catchUp"`

	From  *time.Time `json:"from,omitempty"`
	Until *time.Time `json:"until,omitempty"`

	Paused         bool   `json:"paused"`
	PauseOnFailure bool   `json:"pauseOnFailure"`
	Note           string `json:"note,omitempty"`

	Args   json.RawMessage `json:"arguments,omitempty"`
	Hidden string          `json:"argumentsHidden,omitempty"` // why the arguments are not shown

	Next    []time.Time    `json:"next"` // the next runs, at most 10
	Recent  []scheduledRun `json:"runs"` // the last ones, at most 10, newest first
	Running []string       `json:"running"`
	Started int            `json:"started"` // how many runs it has started
	Skipped int            `json:"skipped"` // runs that were not started because of another one
	Missed  int            `json:"missed"`  // runs that were not started because the server was down

	namespace string
}

type scheduledRun struct {
	Run string    `json:"run"`
	For time.Time `json:"for"`
	At  time.Time `json:"at"`
}

// describe asks for a schedule.
func (s *scheduling) describe(ctx context.Context, c client.ScheduleClient, id string) (*scheduled, error) {
	d, err := described(ctx, c.GetHandle(ctx, id))
	if err != nil {
		return nil, about(id, err)
	}
	spec, state, policy := d.Schedule.Spec, d.Schedule.State, d.Schedule.Policy
	shown := &scheduled{
		ID: id, Times: timesText(spec), Zone: spec.TimeZoneName, Overlap: overlapOf(policy.Overlap), CatchUp: durationText(policy.CatchupWindow),
		From: given(spec.StartAt), Until: given(spec.EndAt),
		Paused: state.Paused, Note: state.Note, PauseOnFailure: policy.PauseOnFailure,
		Next: d.Info.NextActionTimes, Running: runsOf(d.Info.RunningWorkflows), Recent: []scheduledRun{},
		Started: d.Info.NumActions, Skipped: d.Info.NumActionsSkippedOverlap, Missed: d.Info.NumActionsMissedCatchupWindow,
		namespace: s.server.namespace,
	}
	if shown.Zone == "" {
		shown.Zone = "UTC"
	}
	if spec.Jitter > 0 {
		shown.Jitter = durationText(spec.Jitter)
	}
	for _, r := range slices.Backward(d.Info.RecentActions) {
		if r.StartWorkflowResult != nil {
			shown.Recent = append(shown.Recent, scheduledRun{Run: r.StartWorkflowResult.WorkflowID, For: r.ScheduleTime, At: r.ActualTime})
		}
	}
	if action, isRun := d.Schedule.Action.(*client.ScheduleWorkflowAction); isRun {
		shown.Queue = action.TaskQueue
		s.setInput(shown, action)
	}
	return shown, nil
}

// setInput sets what is known of the runs of a schedule.
func (s *scheduling) setInput(shown *scheduled, action *client.ScheduleWorkflowAction) {
	shown.Hidden = "it does not start runs of toolgraph"
	if name, _ := action.Workflow.(string); !ofRun(name) || len(action.Args) != 1 {
		return
	}
	payload, isPayload := action.Args[0].(*common.Payload)
	if !isPayload {
		return
	}
	var in Input
	if err := s.server.converter.FromPayload(payload, &in); err != nil {
		shown.Hidden = err.Error()
		return
	}
	all := queues{prefix: action.TaskQueue}
	shown.Tool, shown.Graph, shown.Queue, shown.Args, shown.Hidden = in.Tool, in.Graph, all.of(in.Graph), in.Args, ""
}

func given(at time.Time) *time.Time {
	if at.Unix() <= 0 {
		return nil
	}
	return &at
}

func timeText(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func runsOf(running []client.ScheduleWorkflowExecution) []string {
	ids := make([]string, 0, len(running))
	for _, r := range running {
		ids = append(ids, r.WorkflowID)
	}
	return ids
}

func newScheduleList(std program.Streams) *cobra.Command {
	s := &scheduling{std: std}
	cmd := &cobra.Command{Use: "list", Short: "List the schedules of a namespace", Args: program.NoArgs}
	s.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.connected(cmd.Context(), func(ctx context.Context, c client.Client) error {
			return s.list(ctx, c.ScheduleClient())
		})
	}
	return cmd
}

// list prints the schedules whose runs are those of tools. Temporal lists few facts of each, and
// without the arguments, so each is asked for.
func (s *scheduling) list(ctx context.Context, c client.ScheduleClient) error {
	entries, err := c.List(ctx, client.ScheduleListOptions{PageSize: 100})
	if err != nil {
		return err
	}
	all := []*scheduled{}
	for entries.HasNext() {
		entry, err := entries.Next()
		if err != nil {
			return err
		}
		if !ofRun(entry.WorkflowType.Name) {
			continue
		}
		shown, err := s.describe(ctx, c, entry.ID)
		switch {
		case errors.Is(err, errNoSchedule): // it was deleted meanwhile
			continue
		case err != nil:
			return err
		}
		all = append(all, shown)
	}
	slices.SortFunc(all, func(a, b *scheduled) int { return strings.Compare(a.ID, b.ID) })
	if s.format == "json" {
		return s.std.PrintJSON(map[string]any{"schedules": all})
	}
	if len(all) == 0 {
		return s.std.PrintTable([][]string{{"no schedules"}})
	}
	rows := [][]string{{"schedule", "tool", "times", "time zone", "next run", "last run", "running"}}
	for _, shown := range all {
		last := "never"
		if len(shown.Recent) > 0 {
			last = shown.Recent[0].Run
		}
		rows = append(rows, []string{shown.ID, shown.Tool, shown.Times, shown.Zone, nextText(shown), last, strconv.Itoa(len(shown.Running))})
	}
	return s.std.PrintTable(rows)
}

// nextText says when a schedule starts its next run.
func nextText(s *scheduled) string {
	switch {
	case s.Paused:
		return "paused"
	case len(s.Next) == 0:
		return "never"
	}
	return timeText(&s.Next[0])
}

func newScheduleShow(std program.Streams) *cobra.Command {
	s := &scheduling{std: std}
	cmd := &cobra.Command{Use: "show ID", Short: "Show a schedule: its times, its arguments, its last and next runs"}
	return s.command(cmd, s.print)
}

// print prints a schedule.
func (s *scheduling) print(ctx context.Context, c client.ScheduleClient, id string) error {
	shown, err := s.describe(ctx, c, id)
	if err != nil {
		return err
	}
	if s.format == "json" {
		return s.std.PrintJSON(shown)
	}
	rows := [][]string{
		{"schedule", shown.ID},
		{"tool", shown.Tool},
		{"graph", fmt.Sprintf("%.12s", shown.Graph)},
		{"arguments", wording.Shorten(string(shown.Args))},
		{"times", shown.Times + ", " + shown.Zone},
		{"overlap", shown.Overlap},
		{"catch-up", shown.CatchUp},
		{"task queue", shown.Queue},
		{"next run", nextText(shown)},
		{"runs", fmt.Sprintf("%d started, %d skipped, %d missed", shown.Started, shown.Skipped, shown.Missed)},
	}
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, []string{name, text})
		}
	}
	if shown.Hidden != "" {
		rows[3][1] = "not shown: " + shown.Hidden
	}
	add("jitter", shown.Jitter)
	add("from", timeText(shown.From))
	add("until", timeText(shown.Until))
	if shown.PauseOnFailure {
		add("pauses", "when a run fails")
	}
	add("note", shown.Note)
	for _, r := range shown.Recent {
		state := "started"
		if slices.Contains(shown.Running, r.Run) {
			state = "running"
		}
		add(state, r.Run)
	}
	return s.std.PrintTable(rows)
}
