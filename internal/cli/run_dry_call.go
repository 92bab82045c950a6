package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// dryCaller makes the calls of tools that are read-only, and notes the others. It
// belongs to one run, which it observes to know whose call comes next.
type dryCaller struct {
	pool    *mcpclient.Pool
	locked  *lock.Lock // nil: none
	asked   map[string]answeredTools
	secrets *config.Secrets

	made  []dryCall
	ended string // why the run cannot go on
}

// answeredTools are what a server told of its tools.
type answeredTools struct {
	tools []mcpclient.Tool
	err   error
}

// dryCall is a call of a dry run.
type dryCall struct {
	Step   int             `json:"step"`
	Node   string          `json:"node"`
	Server string          `json:"server"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Made   bool            `json:"made"`             // because the tool is read-only
	Output json.RawMessage `json:"output,omitempty"` // of a call that was not made: what was assumed
	From   string          `json:"from,omitempty"`   // where that is from
	Error  string          `json:"error,omitempty"`
}

// text is the call in a line.
func (c dryCall) text() string {
	call := fmt.Sprintf("%s.%s %s", c.Server, c.Tool, c.Args)
	switch {
	case c.Made:
		call = "calls " + call + " (read-only)"
	default:
		call = "would call " + call
	}
	if c.Output != nil {
		call += fmt.Sprintf("\n        assumed, by %s: %s", c.From, c.Output)
	}
	if c.Error != "" {
		call += "\n        " + c.Error
	}
	return call
}

var errPlanEnds = errors.New("nothing is known of the output of a call that was not made")

// assumed reports whether outputs were assumed.
func (d *dryCaller) assumed() bool {
	return slices.ContainsFunc(d.made, func(c dryCall) bool { return c.Output != nil })
}

// CallTool makes a call of a read-only tool, and gives an output of the right form for
// any other.
func (d *dryCaller) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	raw, err := redactedJSON(c.Args, d.secrets)
	if err != nil {
		return nil, err
	}
	call := dryCall{Step: c.Index, Node: c.Node, Server: c.Server, Tool: c.Tool, Args: raw}
	value, err := d.answer(ctx, c, &call)
	if err != nil && !errors.Is(err, errPlanEnds) {
		call.Error = d.secrets.Redact(err.Error())
	}
	d.made = append(d.made, call)
	return value, err
}

func (d *dryCaller) answer(ctx context.Context, c execution.Call, call *dryCall) (value.Value, error) {
	known, err := d.known(ctx, c.Server, c.Tool)
	if err != nil {
		return nil, err
	}
	if known.ReadOnly != nil && *known.ReadOnly {
		value, err := d.pool.CallTool(ctx, c.Server, c.Tool, c.Args, c.Meta)
		var fault *mcpclient.Error
		call.Made = !errors.As(err, &fault) || fault.Code != codeNotReadOnly
		return value, err
	}
	if err := refused(ctx, known.InputSchema, c.Args); err != nil {
		return nil, err
	}
	value, ok := assumedOutput(known.OutputSchema)
	if !ok {
		d.ended = fmt.Sprintf("%s.%s is not known as read-only, so it was not called, and nothing tells what it would give", c.Server, c.Tool)
		return nil, errPlanEnds
	}
	call.From = "the outputSchema that " + known.From + " has"
	if known.Learned {
		call.From = "earlier answers in " + known.From
	}
	if call.Output, err = redactedJSON(value, d.secrets); err != nil {
		return nil, err
	}
	return value, nil
}

// codeNotReadOnly is that of a call which a dry run does not make after all.
const codeNotReadOnly = "not-read-only"

// readOnlyAlone is a check of tools that lets nothing else be called, whatever an old lock
// has said of them; and by a lock to call by, where there is one, what that refuses.
func readOnlyAlone(l *lock.Lock, p *project.Project) mcpclient.ToolCheck {
	return func(upstream string, tool mcpclient.Tool) *mcpclient.Error {
		if l != nil {
			if fault := l.Guard(p.File)(upstream, tool); fault != nil {
				return fault
			}
		}
		if said := lock.HintsOf(tool.Annotations).ReadOnly; said != nil && *said {
			return nil
		}
		return &mcpclient.Error{
			Code:    codeNotReadOnly,
			Message: "not called in a dry run, because the server does not say any more that it is read-only",
			Hint:    "run: toolgraph lock " + p.File.Path,
		}
	}
}

// known is what the lock knows of a tool, else what its server tells now.
func (d *dryCaller) known(ctx context.Context, upstream, tool string) (flow.Tool, error) {
	if d.locked != nil {
		if known, ok := d.locked.Tool(upstream, tool); ok {
			return known, nil
		}
	}
	answer, asked := d.asked[upstream]
	if !asked {
		answer.tools, answer.err = d.pool.ListTools(ctx, upstream)
		d.asked[upstream] = answer
	}
	if answer.err != nil {
		return flow.Tool{}, answer.err
	}
	var names []string
	for _, t := range answer.tools {
		if t.Name == tool {
			return flow.Tool{
				InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
				ReadOnly: lock.HintsOf(t.Annotations).ReadOnly, From: fmt.Sprintf("server %q", upstream),
			}, nil
		}
		names = append(names, t.Name)
	}
	return flow.Tool{}, fmt.Errorf("server %q has no tool %q, expected one of its %d%s", upstream, tool, len(names), wording.Suggest(tool, names))
}

// refused is why a server would refuse the arguments of a call.
func refused(ctx context.Context, inputSchema []byte, args value.Value) error {
	if len(inputSchema) == 0 {
		return nil
	}
	s, err := schema.Compile(inputSchema)
	if err != nil {
		return nil //nolint:nilerr // a schema that nobody understands refuses nothing
	}
	problems, err := s.Check(ctx, args)
	if err != nil {
		return fmt.Errorf("the call would be refused, because its arguments cannot be validated: %w", err)
	}
	if len(problems) > 0 {
		return errors.New("the call would be refused: " + problems.Text("arguments"))
	}
	return nil
}
