package cli

import (
	"context"
	"errors"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

const debugPrompt = "> "

// input decides how commands are read: at a terminal by an editor, with the kept history, or by
// lines; without a terminal by lines alone, and SIGINT ends the command as usual. close gives the
// terminal and SIGINT back.
func (r *repl) input(ctx context.Context, in *lineReader, history string) (close func(), err error) {
	if !program.IsTerminal(r.std.In) {
		r.next = in.line
		return func() {}, nil
	}
	r.interrupts = make(chan struct{}, 1)
	release := program.OnInterrupt(ctx, func() {
		select {
		case r.interrupts <- struct{}{}:
		default: // one is waiting to be heard
		}
	})
	plain := func(ctx context.Context) (string, error) {
		r.say(debugPrompt)
		return in.line(ctx)
	}
	read, edits, hint := plain, false, "an empty line repeats the last command"
	if r.std.AreStandard() && terminal.CanEdit(r.std.In, r.std.Out, r.std.Err) {
		private := func(line string) bool { return r.secrets.Redact(line) != line }
		editor, err := terminal.NewEditor(terminal.OpenHistory(history, private), r.complete)
		if err != nil {
			release()
			return nil, err
		}
		edits, hint = true, "Tab completes, an empty line repeats the last"
		read = func(ctx context.Context) (string, error) {
			line, err, can := in.edited(ctx, func() (string, error) { return editor.Line(debugPrompt) })
			if !can {
				return plain(ctx)
			}
			return line, err
		}
		releaseSignal := release
		release = func() {
			editor.Close()
			releaseSignal()
		}
	}
	r.next = func(ctx context.Context) (string, error) {
		if hint != "" {
			r.say("type help to list the commands; %s\n", hint)
			hint = ""
		}
		return r.prompted(ctx, read, edits)
	}
	return release, nil
}

// prompted reads a command. The first Ctrl-C clears the line; the second is ErrInterrupted. So is
// SIGINT while a line is edited, which no key sends then.
func (r *repl) prompted(ctx context.Context, read func(context.Context) (string, error), edits bool) (string, error) {
	for first := true; ; first = false {
		line, err, signalled := r.untilInterrupt(ctx, read)
		if signalled {
			r.say("\n")
		}
		if !first || !errors.Is(err, terminal.ErrInterrupted) || signalled && edits {
			return line, err
		}
		r.say("Ctrl-C again, or Ctrl-D, stops the run\n")
	}
}

// untilInterrupt reads a line until SIGINT comes, which a terminal without an editor sends for Ctrl-C.
func (r *repl) untilInterrupt(ctx context.Context, read func(context.Context) (string, error)) (line string, err error, signalled bool) {
	reading, cancel := context.WithCancelCause(ctx)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		select {
		case <-r.interrupts:
			cancel(terminal.ErrInterrupted)
		case <-reading.Done():
		}
	}()
	line, err = read(reading)
	signalled = errors.Is(err, terminal.ErrInterrupted) && reading.Err() != nil
	cancel(nil)
	<-heard
	return line, err, signalled
}

// interruptible pauses the run at the first Ctrl-C, and stops it at the second.
func (r *repl) interruptible(ctx context.Context) {
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return
		case <-r.interrupts:
		}
		if !first {
			r.interrupted = true
			r.session.Stop()
			return
		}
		if r.session.Pause() == nil {
			r.say("pausing %s; Ctrl-C again stops the run\n", pausesAfter(r.session.State()))
		}
	}
}

// pausesAfter says what a run ends before it pauses.
func pausesAfter(state debug.State) string {
	switch current := state.Current; {
	case state.Status == debug.Waiting:
		return "after the question is answered (!cancel cancels it)"
	case current != nil && current.Server != "":
		return wording.OneLine("after the call of " + current.Server + "." + current.Tool)
	}
	return "after this step"
}
