package execution

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Check returns an error for an event that lacks a part of its kind, or has another.
func (e Event) Check() error {
	has, needs := e.contents(), contentsOf[e.Kind]
	if needs == 0 {
		return fmt.Errorf("its kind is %q, expected %s", e.Kind, wording.Or(recordedKinds))
	}
	if has != needs {
		return fmt.Errorf("it is %s with %s, expected %s alone", e.Kind, has, needs)
	}
	switch {
	case e.Start != nil && e.Start.Copied < 0:
		return fmt.Errorf("its copied is %d, expected 0 or more", e.Start.Copied)
	case e.Record != nil && e.Record.Edited != (e.Kind == ContextEdited):
		return fmt.Errorf("it is %s of a record with edited: %t", e.Kind, e.Record.Edited)
	case e.Record != nil:
		return e.Record.check()
	case e.Step != nil:
		return e.checkStep()
	case e.End != nil && e.End.Spilled < 0:
		return fmt.Errorf("its spilled is %d, expected 0 or more", e.End.Spilled)
	case e.End != nil && e.End.Used != nil:
		return e.End.Used.check()
	}
	return nil
}

// recordedKinds are the kinds of events that journals have.
var recordedKinds = []EventKind{
	RunStarted, CallStarted, AttemptFailed, PartsStarted, QuestionAsked, Answered, StepFinished, ContextEdited, RunFinished,
}

// contents are the parts of an event.
type contents uint8

const (
	hasStart contents = 1 << iota
	hasStep
	hasRetry
	hasParts
	hasQuestion
	hasAnswer
	hasRecord
	hasEnd
)

var contentsOf = map[EventKind]contents{
	RunStarted: hasStart, CallStarted: hasStep, AttemptFailed: hasStep | hasRetry, PartsStarted: hasStep | hasParts,
	QuestionAsked: hasStep | hasQuestion, Answered: hasStep | hasAnswer,
	StepFinished: hasRecord, ContextEdited: hasRecord, RunFinished: hasEnd,
}

func (e *Event) contents() (has contents) {
	for i, is := range [...]bool{
		e.Start != nil, e.Step != nil, e.Retry != nil, e.Parts != nil, e.Question != nil, e.Answer != nil, e.Record != nil, e.End != nil,
	} {
		if is {
			has |= 1 << i
		}
	}
	return has
}

func (c contents) String() string {
	var names []string
	for i, name := range []string{"start", "step", "retry", "parts", "question", "answer", "record", "end"} {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func (r *Record) check() error {
	if err := checkPlace(r.Frame, r.Index, r.Part, r.Tool, r.NodeID, r.NodeType); err != nil {
		return err
	}
	isPart := r.Part != ""
	switch {
	case r.Parts < 0:
		return fmt.Errorf("its parts is %d, expected 0 or more", r.Parts)
	case r.Parts > 0 && (r.Error != nil || isPart && r.NodeID != config.StepsID || r.Edited):
		return errors.New("it has parts, which only a whole step has that finished")
	case r.Error != nil && r.Handled != nil:
		return errors.New("it has handled and error, expected one of them")
	case r.Edited && isPart && (r.NodeID != config.StepsID || !call.IsBranch(r.At().Name())):
		return errors.New("it is an edit of a part, expected one of a whole step")
	case r.Confirmed != nil && (r.NodeType != config.MCPNode || r.Edited || r.Parts > 0):
		return errors.New("it is confirmed, which only a call is")
	case r.Confirmed != nil && r.Confirmed.Digest == "":
		return errors.New("its confirmation has no digest")
	case r.Cached && (r.NodeType != config.MCPNode || r.Edited || r.Parts > 0 || r.Error != nil || r.Handled != nil):
		return errors.New("it is cached, which only a call is that has succeeded")
	}
	for _, a := range r.Attempts {
		if a.Error == nil {
			return errors.New("one of its attempts has no error")
		}
	}
	return nil
}

func (e *Event) checkStep() error {
	v := e.Step
	if err := checkPlace(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType); err != nil {
		return err
	}
	switch {
	case v.Task != "" && e.Kind != CallStarted:
		return fmt.Errorf("it is %s with a task, which only %s has", e.Kind, CallStarted)
	case v.Attempt < 0:
		return fmt.Errorf("its attempt is %d, expected 0 or more", v.Attempt)
	case e.Retry != nil && (e.Retry.Error == nil || e.Retry.WaitMs < 0):
		return errors.New("its retry needs an error and a waitMs of 0 or more")
	case e.Parts != nil && v.Part != "" && v.NodeID != config.StepsID:
		return errors.New("it starts the parts of a part, expected those of a whole step")
	case e.Parts != nil:
		return e.Parts.check()
	case e.Question != nil:
		return e.Question.check(v.NodeType)
	case e.Answer != nil:
		return e.Answer.check()
	}
	return nil
}

// check checks a question about a node of this type.
func (q *Question) check(kind config.NodeType) error {
	asks := config.AskNode
	if q.IsConfirmation() {
		asks = config.MCPNode
	}
	switch {
	case q.Calls < 0:
		return fmt.Errorf("its question is about %d calls, expected 0 or more", q.Calls)
	case q.Digest == "":
		return errors.New("its question has no digest")
	case kind != asks:
		return fmt.Errorf("its question is that of a node of type %q, expected %s", kind, asks)
	}
	return nil
}

// actions are what an answer can be.
var actions = []Action{Accept, Decline, Dismiss, TimedOut, NoUser}

func (a *Answer) check() error {
	isObject := false
	switch a.Content.(type) {
	case value.Object, map[string]any:
		isObject = true
	}
	switch {
	case !slices.Contains(actions, a.Action):
		return fmt.Errorf("its answer is %.100q, expected %s", a.Action, wording.Or(actions))
	case a.Digest == "":
		return errors.New("its answer has no digest")
	case a.Content != nil && a.Action != Accept:
		return fmt.Errorf("its answer is %s with content, which only %s has", a.Action, Accept)
	case a.Content != nil && !isObject:
		return errors.New("the content of its answer is not an object")
	}
	return nil
}

func (p *Parts) check() error {
	if p.Count < 0 || p.Branches != nil && len(p.Branches) != p.Count {
		return fmt.Errorf("its count is %d, but it names %d branches", p.Count, len(p.Branches))
	}
	for i, name := range p.Branches {
		if !call.IsBranch(name) || slices.Contains(p.Branches[:i], name) {
			return fmt.Errorf("its branch %.100q has no name of its own", name)
		}
	}
	return nil
}

// has reports whether there is a part of that name.
func (p *Parts) has(part string) bool {
	if p.Branches != nil {
		return slices.Contains(p.Branches, part)
	}
	index, err := strconv.Atoi(part)
	return err == nil && call.IsItem(part) && index < p.Count
}

// checkPlace checks where an execution is. tool is whose graph its frame runs.
func checkPlace(frame Address, index int, part, tool, node string, kind config.NodeType) error {
	if kind != "" && kind != config.StepsNode && !slices.Contains(config.NodeTypes, kind) { // "" is of edits that early releases recorded
		return fmt.Errorf("its nodeType is %q, expected %s", kind, wording.Or(append(slices.Clone(config.NodeTypes), config.StepsNode)))
	}
	switch {
	case index < 0:
		return fmt.Errorf("its executionIndex is %d, expected 0 or more", index)
	case node == "":
		return errors.New("it has no nodeId")
	case part != "" && !call.IsItem(part) && !call.IsBranch(part) && (node != config.StepsID || !call.IsPart(part)):
		return fmt.Errorf("its part is %.100q, expected a number or the name of a branch", part)
	case (frame == "") != (tool == ""):
		return fmt.Errorf("its frame is %.100q and the tool of the frame %.100q, expected both or none", frame, tool)
	case frame != "":
		if _, err := ParseAddress(string(frame)); err != nil {
			return fmt.Errorf("its frame is wrong: %w", err)
		}
	}
	return nil
}
