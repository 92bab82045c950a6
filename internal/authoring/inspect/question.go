package inspect

import (
	"context"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/view"
)

// questions adds the questions to the steps that asked them. A part has no question of its own when
// all calls of its step were confirmed at once: then the step that was asked for has that one.
func (r *reading) questions(ctx context.Context, out *Run) error {
	if r.run.Questions == 0 {
		return nil
	}
	steps := map[execution.Address]*Step{}
	for i := range out.History {
		steps[out.History[i].At()] = &out.History[i]
	}
	if s := out.Step; s != nil {
		at := s.At()
		if frame, index, part := at.Split(); part != "" && s.Confirmed != nil {
			steps[execution.AddressOf(frame, index, "")] = s
		}
		steps[at] = s
	}
	asked, err := r.store.Questions(ctx, r.run.ID, func(at execution.Address) bool { return steps[at] != nil }, r.most)
	for _, q := range asked {
		s := steps[q.Address]
		s.Questions = append(s.Questions, view.QuestionOf(q, r.most))
	}
	return err
}

// remedyOf says what can be done about a run that waits for its user, or has failed because of the
// user or of what it may call; empty for other runs.
func remedyOf(r *journal.Run) string {
	switch {
	case r.Parked && r.Question != nil:
		return "the run continues in any process when its user answers: in the client that called the tool, or in a terminal with toolgraph resume " + r.ID
	case r.Parked:
		return ""
	case r.Status == journal.Waiting:
		return "the run continues when its user answers, where it was started: in the client that called the tool, or in the terminal"
	case r.Question != nil:
		return "resume the run in a terminal, which asks the question again: toolgraph resume " + r.ID
	case r.Failure == nil:
		return ""
	}
	switch f := r.Failure; config.FailureCode(f.Detail) {
	case config.FailNotAllowed:
		if f.Code == execution.CodeTool {
			return "change allow of the graph file or of the tool, give the command the flag that the message names, or change the node that makes the call"
		}
	case config.FailDeclined, config.FailDismissed, config.FailTimeout, config.FailNoUser:
		if f.Code == execution.CodeUser {
			return userRemedy(config.FailureCode(f.Detail))
		}
	}
	return ""
}

// userRemedy says what can be done about a question that was not answered with yes.
func userRemedy(code config.FailureCode) string {
	catch := "let the graph continue without the answer: onError: {codes: [" + string(code) + "], …} of the node"
	switch code {
	case config.FailTimeout:
		return "run the tool again and answer in time, give the ask a longer timeoutMs, or " + catch
	case config.FailNoUser:
		return "use a client that can ask its user (it declares elicitation), run the tool in a terminal with toolgraph run (--yes confirms calls without asking), or " + catch
	}
	return "run the tool again and agree, or " + catch
}
