package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/mcpclient"
)

// asker asks the person at the terminal of a command the questions of upstream servers and, as
// part of a runUser, those of runs, one at a time. Safe for concurrent use.
type asker struct {
	std   program.Streams
	talks bool          // standard input and standard error are terminals
	input *lineReader   // standard input
	turn  chan struct{} // has one element while a question is open
}

// newAsker returns the asker of a command; nothing is read before a line is wanted.
func newAsker(std program.Streams) *asker {
	return &asker{
		std: std, talks: program.IsTerminal(std.In) && program.IsTerminal(std.Err), turn: make(chan struct{}, 1), input: newLineReader(std.In),
	}
}

// asks lets servers ask, if their entries in the graph file allow it.
func (a *asker) asks(secrets *config.Secrets) mcpclient.Elicitor {
	return func(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
		f, err := readForm(params)
		if err != nil {
			return nil, err
		}
		return a.ask(ctx, upstream, f, secrets)
	}
}

const noTerminal = "standard input or standard error is not a terminal"

const (
	shownMessage  = 2000 // characters of a question of a server that are shown
	shownQuestion = 8000 // of a question of a run, which is bounded: nothing of what is agreed to may be missing
	shownField    = 200  // of a name, a description, a choice
)

var (
	errDeclined  = errors.New("declined")
	errCancelled = errors.New("cancelled")
	errNoInput   = errors.New("the input has ended")
)

// Turn waits until no other question is open.
func (a *asker) Turn(ctx context.Context) (done func(), err error) {
	select {
	case a.turn <- struct{}{}:
		return func() { <-a.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask asks the question of an upstream server, and returns the result of elicitation/create.
func (a *asker) ask(ctx context.Context, upstream string, f *form, secrets *config.Secrets) (json.RawMessage, error) {
	done, err := a.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	message := presented(f.message, shownMessage, secrets)
	if !a.talks {
		a.say("toolgraph: server %q asks its user a question, which is cancelled because %s; run the command in a terminal to answer: %s\n",
			upstream, noTerminal, wording.OneLine(message))
		return json.RawMessage(`{"action":"cancel"}`), nil
	}
	answer, err := a.put(ctx, fmt.Sprintf("The server %q asks", upstream), message, f, secrets)
	if err != nil {
		return nil, err
	}
	if answer.Action != execution.Accept || f.url != "" {
		return json.RawMessage(`{"action":"` + answer.Action + `"}`), nil
	}
	raw, err := value.Encode(answer.Content)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"action":"accept","content":`), raw...), '}'), nil
}

// put shows a question, with its message as it is, and returns the answer. who begins with a
// capital letter.
func (a *asker) put(ctx context.Context, who, message string, f *form, secrets *config.Secrets) (execution.Answer, error) {
	defer terminal.Hide(a.std.Err)()
	a.say("%s:\n  | %s\n", who, strings.ReplaceAll(message, "\n", "\n  | "))
	content, err := a.fill(ctx, f, secrets)
	switch {
	case errors.Is(err, errDeclined):
		return execution.Answer{Action: execution.Decline}, nil
	case errors.Is(err, errNoInput):
		a.say("\ntoolgraph: the question is cancelled because the input has ended\n")
		return execution.Answer{Action: execution.Dismiss}, nil
	case errors.Is(err, errCancelled):
		return execution.Answer{Action: execution.Dismiss}, nil
	case err != nil:
		a.say("\n")
		return execution.Answer{}, err
	}
	return execution.Answer{Action: execution.Accept, Content: content}, nil
}

// fill lets the user fill in a form and confirm the answer.
func (a *asker) fill(ctx context.Context, f *form, secrets *config.Secrets) (value.Value, error) {
	a.say("Type !no to decline or !cancel to cancel.\n")
	if f.url != "" {
		a.say("Open this address yourself:\n  | %s\n", presented(f.url, shownMessage, nil))
	}
	var keys []string
	var values []value.Value
	for _, field := range f.fields {
		value, given, err := a.field(ctx, field, secrets)
		if err != nil {
			return nil, err
		}
		if given {
			keys, values = append(keys, field.name), append(values, value)
		}
	}
	for {
		text, err := a.line(ctx, f.sends+" yes or no: ")
		if err != nil {
			return nil, err
		}
		switch agreed, ok := yesOrNo(text); {
		case ok && agreed:
			return value.NewObject(keys, values), nil
		case ok:
			return nil, errDeclined
		}
	}
}

// field lets the user fill in one field, until it is valid; given is false when the user leaves
// it empty.
func (a *asker) field(ctx context.Context, f *field, secrets *config.Secrets) (value value.Value, given bool, err error) {
	short := func(text string) string { return wording.OneLine(presented(text, shownField, secrets)) }
	if f.description != "" {
		a.say("%s\n", short(f.description))
	}
	for i, c := range f.choices {
		a.say("  %d  %s\n", i+1, short(c.label))
	}
	prompt := fmt.Sprintf("%s (%s): ", short(f.title), short(f.expects()))
	for {
		text, err := a.line(ctx, prompt)
		if err != nil {
			return nil, false, err
		}
		value, given, wrong := f.read(ctx, text)
		if wrong == "" {
			return value, given, nil
		}
		a.say("%s\n", wording.OneLine(presented(wrong, shownMessage, secrets)))
	}
}

// line returns the next line that the user types.
func (a *asker) line(ctx context.Context, prompt string) (string, error) {
	a.say("%s", prompt)
	text, err := a.input.line(ctx)
	switch text = strings.TrimSpace(text); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errNoInput
	case text == "!no":
		return "", errDeclined
	case text == "!cancel":
		return "", errCancelled
	}
	return text, nil
}

func (a *asker) say(format string, args ...any) { fmt.Fprintf(a.std.Err, format, args...) }

// presented returns text of a server for a terminal: without secrets and control characters, and
// truncated to most characters.
func presented(text string, most int, secrets *config.Secrets) string {
	text = secrets.Redact(text)
	n := 0
	for i := range text {
		if n == most {
			return wording.Printable(text[:i]) + fmt.Sprintf("… (truncated, %d bytes)", len(text))
		}
		n++
	}
	return wording.Printable(text)
}
