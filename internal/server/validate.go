package server

import (
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions"
)

// CheckSchemas tells what is wrong with the schemas of the tools: what New would
// refuse, and as warnings what some hosts refuse. Sorted.
func CheckSchemas(tools []*config.Tool) config.Diagnostics {
	var found config.Diagnostics
	for _, def := range tools {
		newTool(Tool{Def: def}, &found)
	}
	found.Sort()
	return found
}

// CheckArguments checks arguments against the tool's inputSchema, as a call over
// the protocol does. The error is for people and names each argument.
func CheckArguments(def *config.Tool, args expressions.Value) error {
	var found config.Diagnostics
	t := newTool(Tool{Def: def}, &found)
	if err := found.Err(); err != nil {
		return err
	}
	return t.checkArguments(args)
}

// CheckResult checks the value of a run against the tool's outputSchema, when it
// has one.
func CheckResult(def *config.Tool, v expressions.Value) error {
	var found config.Diagnostics
	t := newTool(Tool{Def: def}, &found)
	if err := found.Err(); err != nil {
		return err
	}
	return t.checkResult(v)
}

func (t *tool) checkArguments(args expressions.Value) error {
	if problems := t.input.Check(args); len(problems) > 0 {
		return errors.New("invalid arguments: " + problems.Text("arguments"))
	}
	return nil
}

func (t *tool) checkResult(v expressions.Value) error {
	if t.output == nil {
		return nil
	}
	if problems := t.output.Check(v); len(problems) > 0 {
		return fmt.Errorf("%s: the value of tool %q does not fit its outputSchema: %s",
			t.def.OutputSchema.Pos, t.name, problems.Text("result"))
	}
	return nil
}
