package graph

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// failureCodes returns the codes that a retry or an onError names; nil stays nil. It reports
// unknown ones, and warns of those that the owner never sees, with why; pos is its place.
func (c *compiler) failureCodes(texts []config.Text, owner string, pos config.Pos, unseen func(config.FailureCode) string) []config.FailureCode {
	if texts == nil {
		return nil
	}
	if len(texts) == 0 {
		c.found.Warn(pos, "useless-codes", "codes of "+owner+" is empty, so it has no effect", "name codes, or remove codes for the default").Fixed(config.RemoveNamed(pos, "codes"))
	}
	codes := make([]config.FailureCode, 0, len(texts))
	for _, text := range texts {
		code := config.FailureCode(text.Value)
		switch {
		case !code.Catchable():
			c.addUnknownCode(text, owner)
		case unseen(code) != "":
			c.found.Warn(text.Pos, "useless-codes", fmt.Sprintf("codes of %s names %s, %s", owner, code, unseen(code)), "remove it").Over(text).Fixed(config.RemoveItem(text.Pos))
		}
		codes = append(codes, code)
	}
	return codes
}

func (c *compiler) addUnknownCode(text config.Text, owner string) {
	if ending := []string{"limit", "cancelled", "internal", "outcome-unknown"}; slices.Contains(ending, text.Value) {
		c.found.Add(text.Pos, "unknown-code", fmt.Sprintf("codes of %s names %q, which always ends the run", owner, text.Value), "remove it").Over(text).Fixed(config.RemoveItem(text.Pos))
		return
	}
	near := wording.Nearest(text.Value, config.FailureCodes)
	hint := cmp.Or(wording.Meant(near), "the codes are "+wording.Or(config.FailureCodes))
	c.found.Add(text.Pos, "unknown-code", fmt.Sprintf("codes of %s names %q, expected the code of a failure", owner, shorten(text.Value)), hint).Meant(text, near)
}

// repeatable says of a failure why no call is repeated after it; "" when one can be. What an
// expression of args or a value yields is the same again.
func repeatable(poll bool) func(config.FailureCode) string {
	return func(code config.FailureCode) string {
		switch code {
		case config.FailExpression, config.FailRaised:
			return "but an expression gives the same failure again"
		case config.FailOutputMismatch:
			return onlyGraph
		case config.FailDeclined, config.FailDismissed, config.FailNoUser, config.FailNotAllowed:
			return "which comes before the first attempt"
		case config.FailNotYet:
			if !poll {
				return onlyPoll
			}
		}
		return ""
	}
}

const (
	onlyGraph  = "which only a called graph gives"
	onlyPoll   = "which only a retry with until gives"
	onlyRepeat = "which only a step with repeat gives"
)

// failuresOf says of a failure why a node cannot have it; "" when it can. A called graph and a block pass on
// those of all that is in them.
func failuresOf(n *config.Node) func(config.FailureCode) string {
	return func(code config.FailureCode) string {
		never := ""
		switch {
		case n.Type == config.GraphNode, n.Type == config.StepsNode:
			return ""
		case n.Type == config.TransformNode && code != config.FailExpression && code != config.FailRaised:
			never = "which an expression never gives"
		case n.Type == config.AskNode && !slices.Contains(ofUser, code):
			never = "which a question never gives"
		}
		switch {
		case code == config.FailOutputMismatch:
			return onlyGraph
		case code == config.FailNotYet && n.Step != nil && n.Step.Repeat == nil:
			return onlyRepeat
		case code == config.FailNotYet && n.Step == nil && (n.Retry == nil || !given(n.Retry.Until)):
			return onlyPoll
		}
		return never
	}
}

// ofUser are the failures of a question.
var ofUser = []config.FailureCode{config.FailDeclined, config.FailDismissed, config.FailTimeout, config.FailNoUser}
