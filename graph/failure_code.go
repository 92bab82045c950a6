package graph

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// failureCodes returns the codes that a retry or an onError names; nil stays nil. It reports
// unknown ones, and warns of those that the owner never sees; pos is its place.
func (c *compiler) failureCodes(texts []config.Text, owner string, pos config.Pos, seen func(config.FailureCode) bool) []config.FailureCode {
	if texts == nil {
		return nil
	}
	if len(texts) == 0 {
		c.found.Warn(pos, "useless-codes", "codes of "+owner+" is empty, so it has no effect", "name codes, or remove codes for the default")
	}
	codes := make([]config.FailureCode, 0, len(texts))
	for _, text := range texts {
		code := config.FailureCode(text.Value)
		switch {
		case !code.Catchable():
			c.addUnknownCode(text, owner)
		case !seen(code):
			c.found.Warn(text.Pos, "useless-codes", fmt.Sprintf("codes of %s names %s, %s", owner, code, whyUnseen(code)), "remove it")
		}
		codes = append(codes, code)
	}
	return codes
}

func (c *compiler) addUnknownCode(text config.Text, owner string) {
	if ending := []string{"limit", "cancelled", "internal", "outcome-unknown"}; slices.Contains(ending, text.Value) {
		c.found.Add(text.Pos, "unknown-code", fmt.Sprintf("codes of %s names %q, which always ends the run", owner, text.Value), "remove it")
		return
	}
	hint := wording.DidYouMean(text.Value, config.FailureCodes)
	if hint == "" {
		hint = "the codes are " + wording.Or(config.FailureCodes)
	}
	c.found.Add(text.Pos, "unknown-code", fmt.Sprintf("codes of %s names %q, expected the code of a failure", owner, shorten(text.Value)), hint)
}

// repeatable returns the failures after which a call can be repeated. What an expression of args
// or a value yields is the same again.
func repeatable(poll bool) func(config.FailureCode) bool {
	return func(code config.FailureCode) bool {
		switch code {
		case config.FailExpression, config.FailRaised, config.FailOutputMismatch:
			return false
		case config.FailNotYet:
			return poll
		}
		return true
	}
}

// failuresOf returns the failures that a node can have. A called graph passes on those of all its
// nodes.
func failuresOf(n *config.Node) func(config.FailureCode) bool {
	return func(code config.FailureCode) bool {
		switch {
		case n.Type == config.TransformNode:
			return code == config.FailExpression || code == config.FailRaised
		case n.Type != config.MCPNode:
		case code == config.FailNotYet:
			return n.Retry != nil && given(n.Retry.Until)
		default:
			return code != config.FailOutputMismatch
		}
		return true
	}
}

func whyUnseen(code config.FailureCode) string {
	switch code {
	case config.FailNotYet:
		return "which only a retry with until gives"
	case config.FailOutputMismatch:
		return "which only a called graph gives"
	case config.FailExpression, config.FailRaised:
		return "but an expression gives the same failure again"
	}
	return "which an expression never gives"
}
