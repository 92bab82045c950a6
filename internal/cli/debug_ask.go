package cli

import (
	"context"
	"fmt"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// question prints what an ask node asks at a step; nothing for other nodes.
func (r *repl) question(ctx context.Context, node graph.Node, at execution.Address) {
	ask, asks := node.(*graph.Ask)
	if !asks {
		return
	}
	message, err := r.message(ctx, ask, at)
	if err != nil {
		r.say("  the message fails: %s\n", wording.OneLine(r.secrets.Redact(err.Error())))
		return
	}
	r.say("  asks: %s\n", wording.OneLine(presented(message, shownQuestion, r.secrets)))
	f, err := readForm(runtime.Elicitation(&execution.Question{Message: message, Form: ask.Fields}))
	if err != nil { // the terminal cannot ask it either, and says so
		return
	}
	for _, field := range f.fields {
		title := ""
		if field.title != field.name {
			title = field.title + ", "
		}
		r.say("    %s (%s)\n", wording.OneLine(field.name), wording.OneLine(presented(title+field.expects(), shownField, r.secrets)))
	}
}

// message evaluates the message of an ask as the step at an address would.
func (r *repl) message(ctx context.Context, ask *graph.Ask, at execution.Address) (string, error) {
	scope, err := r.session.History().Scope(ctx, r.graph, at)
	if err != nil {
		return "", err
	}
	v, err := ask.Message.Eval(ctx, scope)
	if err != nil {
		return "", err
	}
	message, isText := v.(string)
	if !isText {
		return "", fmt.Errorf("it is %s, not a text", valueText(v, outputShown, r.secrets))
	}
	return message, nil
}
