package server

import (
	"errors"

	"toolgraph/config"
	"toolgraph/expressions"
)

// CheckArguments checks arguments against the tool's inputSchema, as a call over
// the protocol does. The error is for people and names each argument.
func CheckArguments(def *config.Tool, args expressions.Value) error {
	t := newTool(Tool{Def: def})
	var found config.Diagnostics
	if t.prepare(&found); found.Err() != nil {
		return found.Err()
	}
	return t.checkArguments(args)
}

// CheckResult checks the value of a run against the tool's outputSchema, when it
// has one.
func CheckResult(def *config.Tool, v expressions.Value) error {
	t := newTool(Tool{Def: def})
	var found config.Diagnostics
	if t.prepare(&found); found.Err() != nil {
		return found.Err()
	}
	return t.checkResult(v)
}

func (t *tool) checkArguments(args expressions.Value) error {
	if problems := t.input.check(args); len(problems) > 0 {
		return errors.New("invalid arguments: " + tell("arguments", problems))
	}
	return nil
}

func (t *tool) checkResult(v expressions.Value) error {
	if t.output == nil {
		return nil
	}
	if problems := t.output.check(v); len(problems) > 0 {
		return errors.New(t.misfit(problems))
	}
	return nil
}
