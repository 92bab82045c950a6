package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// RunExplanation is why a run failed.
type RunExplanation struct {
	journal.Run
	Arguments  Value         `json:"arguments"`
	Unread     string        `json:"unread,omitempty"`  // why what the file says of the failed steps is missing: it has changed, or has errors
	Failed     []FailedStep  `json:"failedSteps"`       // the innermost, in the order of addresses; none: a limit or the result as a whole
	More       int           `json:"more,omitempty"`    // failed steps that are left out
	Executions []NodeCount   `json:"executions"`        // how often nodes ran, the most frequent first, at most 10
	Handled    int           `json:"handled,omitempty"` // failures that onError took
	InDoubt    []view.Call   `json:"inDoubt,omitempty"` // calls whose outcome is unknown
	Since      *Since        `json:"since,omitempty"`   // nil: no run of the tool has finished before
	Remedy     string        `json:"remedy,omitempty"`
	Commands   []NextCommand `json:"commands"` // that show more
}

// FailedStep is a step or part that failed.
type FailedStep struct {
	Address execution.Address  `json:"address"`
	Node    string             `json:"nodeId"` // as messages name it: facts.weather, todos_of_file:read
	Type    config.NodeType    `json:"nodeType"`
	Error   *execution.Failure `json:"error"`
	Tries   int                `json:"attempts,omitempty"` // calls that were made, the last included; 0: one, or none

	// What the file says, when it still has the graph of the run.
	File   string      `json:"file,omitempty"` // that the graph file imports; empty: the graph file itself
	Line   int         `json:"line,omitempty"`
	Source string      `json:"source,omitempty"` // the line of the file with a caret under the place
	Does   string      `json:"does,omitempty"`
	Item   *Value      `json:"item,omitempty"`  // of a part of a forEach
	Input  *Value      `json:"input,omitempty"` // the arguments of the call, or the question
	Reads  []ReadValue `json:"reads,omitempty"`
}

// ReadValue is a path that an expression of a step reads, and the value that it had.
type ReadValue struct {
	Path  string `json:"path"`
	In    string `json:"in"`              // the expression
	Value *Value `json:"value,omitempty"` // nil: it had none
}

// NodeCount is how often a node ran.
type NodeCount struct {
	Node  string `json:"nodeId"`
	Count int    `json:"count"`
}

// Since is how a run differs from the latest one of its tool before it that finished.
type Since struct {
	Run       string      `json:"run"`
	Started   time.Time   `json:"started"`
	SameGraph bool        `json:"sameGraph"`
	Arguments *Changes    `json:"arguments,omitempty"`
	Value     *Divergence `json:"value,omitempty"`
	Path      *Divergence `json:"path,omitempty"`
}

// NextCommand is a command that shows more of a run.
type NextCommand struct {
	Does    string `json:"does"`
	Command string `json:"command"`
}

const (
	mostFailed = 5
	mostNodes  = 10
	mostReads  = 20
	explaining = 3 * time.Second // for the expressions of all steps together
)

// ExplainRun explains why a run failed: which step, what it read and was given, and how the run
// differs from the last one that finished. An empty id is the newest run that failed.
func (i *Inspector) ExplainRun(ctx context.Context, id string) (*RunExplanation, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	run, err := i.failedRun(ctx, s, id)
	if err != nil {
		return nil, err
	}
	args, err := s.Arguments(ctx, run.ID, DefaultValueBytes)
	if err != nil {
		return nil, err
	}
	events, err := s.Load(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	e := runExplainer{history: fold.NewHistory()}
	for _, event := range events {
		e.history.Add(event)
	}
	out := &RunExplanation{Run: run, Arguments: view.RecordedOf(args), Failed: []FailedStep{}, Remedy: remedyOf(&run)}
	out.Unread = e.read(ctx, cmp.Or(i.File, run.File), i.Options, run.Tool, events[0].Start)
	e.steps(ctx, out)
	r := reading{store: s, run: run}
	if out.InDoubt, err = r.allInDoubt(ctx); err != nil {
		return nil, err
	}
	if out.Since, err = i.since(ctx, s, run); err != nil {
		return nil, err
	}
	out.Commands = commandsFor(out)
	return out, nil
}

// failedRun returns the run of an id, or the newest that failed.
func (i *Inspector) failedRun(ctx context.Context, s *journal.Store, id string) (journal.Run, error) {
	if id != "" {
		return i.find(ctx, s, id)
	}
	failed, err := i.ListRuns(ctx, journal.Filter{Status: journal.Failed, Limit: 1})
	if err != nil {
		return journal.Run{}, err
	}
	if len(failed.Runs) == 0 {
		return journal.Run{}, fmt.Errorf("%w: no run of %s has failed; name a run by its id, or last", journal.ErrNotFound, cmp.Or(i.File, "any file"))
	}
	return failed.Runs[0], s.Verify(ctx, failed.Runs[0])
}

// runExplainer reads the failed steps of a run.
type runExplainer struct {
	history *fold.History
	project *project.Project // nil: the file does not load
	graph   *graph.Graph     // nil: the file has not the graph of the run
	lines   []string         // of the file
}

// read loads the graph of a run of the tool that began so; the text is why that is not possible.
func (e *runExplainer) read(ctx context.Context, file string, opts config.Options, tool string, start *execution.Start) string {
	p, err := project.Load(ctx, file, opts)
	if err != nil && !opts.AssumeEnv { // its variables are those of the process that serves it
		opts.AssumeEnv = true
		p, err = project.Load(ctx, file, opts)
	}
	if found := config.Diagnostics(nil); err != nil && !errors.As(err, &found) {
		return "the graph file cannot be read: " + wording.OneLine(err.Error())
	}
	if err != nil {
		return "the graph file has errors now; toolgraph check shows them"
	}
	g, err := p.Recorded(ctx, tool, start.Args)
	if err != nil || !start.IsOf(g) {
		return "the graph has changed since the run; lines, arguments and values that its expressions read are not shown"
	}
	e.project, e.graph = p, g
	if src, err := config.ReadFile(file); err == nil && !opts.AssumeEnv { // else its secrets are unknown
		e.lines = strings.Split(p.File.Secrets.Redact(string(src)), "\n")
	}
	return ""
}

// steps adds the failed steps, and how often nodes ran.
func (e *runExplainer) steps(ctx context.Context, out *RunExplanation) {
	ctx, cancel := context.WithTimeout(ctx, explaining)
	defer cancel()
	all := e.history.Sorted()
	counts := map[string]int{}
	outer := map[execution.Address]bool{} // steps and parts in which a failed one is
	for n := range all {
		r := &all[n]
		if r.Edited {
			continue
		}
		if name := counted(r); name != "" {
			counts[name]++
		}
		if r.Handled != nil {
			out.Handled++
		}
		if r.Error != nil {
			for _, at := range around(r.At(), "") {
				outer[at] = true
			}
		}
	}
	for n := range all {
		switch r := &all[n]; {
		case r.Error == nil || outer[r.At()]:
		case len(out.Failed) == mostFailed:
			out.More++
		default:
			out.Failed = append(out.Failed, e.step(ctx, r))
		}
	}
	for node, count := range counts {
		out.Executions = append(out.Executions, NodeCount{node, count})
	}
	slices.SortFunc(out.Executions, func(a, b NodeCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Node, b.Node))
	})
	out.Executions = out.Executions[:min(len(out.Executions), mostNodes)]
}

// counted names what a record counts as an execution of: a node, or a step; empty for a part of one.
func counted(r *execution.Record) string {
	_, err := strconv.Atoi(r.At().Name()) // the number of an item or a turn
	switch isStep := r.NodeID == config.StepsID; {
	case isStep && (r.Part == "" || err == nil || r.Skipped), !isStep && r.Part != "":
		return ""
	}
	return r.Name()
}

// step returns one failed step.
func (e *runExplainer) step(ctx context.Context, r *execution.Record) FailedStep {
	at := r.At()
	out := FailedStep{Address: at, Node: r.Name(), Type: r.NodeType, Error: r.Error}
	if len(r.Attempts) > 0 {
		out.Tries = len(r.Attempts) + 1
	}
	of := e.graph.ReachedTool(r.Tool)
	node := of.NodeAt(r.NodeID, r.Part)
	if node == nil {
		return out
	}
	all := view.Expressions(node)
	out.Does = purpose(node)
	if step := of.StepAt(r.NodeID, r.Part); step != nil {
		all, out.Does = view.StepExpressions(step), purposeOf(step)
	}
	place := node.Pos()
	if r.Error.Pos.IsValid() {
		place.Line, place.Column = r.Error.Pos.Line, r.Error.Pos.Column // its file is as the run was started with it
	}
	out.Line = place.Line
	if place.File != e.project.File.Path {
		out.File = place.File
	} else if place.Line <= len(e.lines) {
		out.Source = expressions.CaretAt(e.lines[place.Line-1], place.Column)
	}
	scope, err := e.history.Scope(ctx, e.graph, at)
	if err != nil {
		return out
	}
	out.Item = shown(ctx, scope.Variables[of.ItemAt(r.NodeID, r.Part)])
	if input := view.InputOf(node, r.Part); input != nil {
		if v, err := input.Eval(ctx, scope); err == nil {
			out.Input = shown(ctx, v)
		}
	}
	for _, expr := range all {
		for _, read := range view.Reads(ctx, expr.Reads, scope, mostReads-len(out.Reads)) {
			out.Reads = append(out.Reads, ReadValue{Path: read.Path, In: e.project.File.Secrets.Redact(expr.Source), Value: shown(ctx, read.Value)})
		}
	}
	return out
}

// shown returns the beginning of a value; nil for none.
func shown(ctx context.Context, v value.Value) *Value { return bounded(ctx, v, changedBytes) }

// since compares a run with the latest one of its tool before it that finished; nil without one.
func (i *Inspector) since(ctx context.Context, s *journal.Store, run journal.Run) (*Since, error) {
	good, err := lastGood(ctx, s, run)
	if errors.Is(err, journal.ErrNotFound) || good.Damaged != "" {
		return nil, nil //nolint:nilnil // there is nothing to compare it with
	} else if err != nil {
		return nil, err
	}
	d := &Difference{A: good, B: run}
	if err := d.compare(ctx, s); err != nil {
		return nil, err
	}
	return &Since{Run: d.A.ID, Started: d.A.Started, SameGraph: d.SameGraph, Arguments: d.Arguments, Value: d.Value, Path: d.Path}, nil
}

// commandsFor returns the commands that show more of a run.
func commandsFor(r *RunExplanation) (all []NextCommand) {
	add := func(does, command string) { all = append(all, NextCommand{does, command}) }
	if len(r.Failed) > 0 {
		at := r.Failed[0].Address
		add("show the step and all values that its expressions could read", fmt.Sprintf("toolgraph runs show %s --step %s --context", r.ID, at))
		add("try another expression over what the step saw", fmt.Sprintf("toolgraph eval --run %s --step %s 'EXPRESSION'", r.ID, at))
	} else {
		add("show its steps", "toolgraph runs show "+r.ID)
	}
	switch {
	case len(r.InDoubt) > 0:
		call := wording.Quote(r.InDoubt[0].Server + "." + r.InDoubt[0].Tool)
		add("continue the run, and make the call of "+call+" again, after you have checked that this does no harm", fmt.Sprintf("toolgraph resume %s --repeat", r.ID))
		add("continue the run with the value that the call of "+call+" returned", fmt.Sprintf("toolgraph resume %s --answer 'JSON'", r.ID))
	case r.Status == journal.Interrupted:
		add("continue the run", "toolgraph resume "+r.ID)
	}
	if r.Unread == "" && r.Status == journal.Failed && len(r.Failed) > 0 {
		add("run it again from the failed step, without the calls before it", fmt.Sprintf("toolgraph fork %s/%s", r.ID, r.Failed[0].Address))
	}
	if r.Unread == "" && r.Status == journal.Failed {
		add("repeat the run with the recorded answers, after the file was changed", "toolgraph replay "+r.ID)
	}
	if s := r.Since; s != nil {
		add("compare it with the run that finished", fmt.Sprintf("toolgraph runs diff %s %s", s.Run, r.ID))
	}
	return all
}

// Summary says in one sentence how the run ended.
func (r *RunExplanation) Summary() string {
	switch {
	case r.Failure != nil && r.Failure.Node != "":
		kind, name := "node", r.Failure.Node
		if step := (&execution.Visit{NodeID: name, Part: r.Failure.Part}); name == config.StepsID {
			kind, name = "step", step.Name()
		}
		return fmt.Sprintf("the run failed in %s %s after %s", kind, wording.Quote(name), wording.Count(r.Steps, "step"))
	case r.Failure != nil:
		return "the run failed after " + wording.Count(r.Steps, "step")
	case r.Status == journal.Interrupted:
		return "the process of the run ended after " + wording.Count(r.Steps, "step")
	}
	return fmt.Sprintf("the run is %s, after %s", wording.Status(r.Status), wording.Count(r.Steps, "step"))
}
