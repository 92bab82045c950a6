package terminal

import (
	"errors"
	"io"

	"github.com/peterh/liner"
)

// ErrInterrupted means that the user has pressed Ctrl-C in a line.
var ErrInterrupted = errors.New("the line was interrupted")

// Complete returns the candidates for the word at a position, counted in characters, of a line:
// what replaces the word between head and tail.
type Complete func(line string, at int) (head string, candidates []string, tail string)

// Editor reads lines that the user edits at the terminal. The terminal is as it was before
// between two lines, so that Ctrl-C is a signal then and what is typed is shown. Not safe for
// concurrent use, except Close.
type Editor struct {
	state       *liner.State
	raw, cooked liner.ModeApplier
	history     *History
}

// CanEdit reports whether these are terminals that can move the cursor. They have to be the standard
// streams of the process, because liner reads and draws there.
func CanEdit(in, out, err any) bool { return Is(in) && Is(out) && Is(err) && !Dumb() }

// NewEditor returns an editor for the standard streams of the process, see CanEdit.
func NewEditor(history *History, complete Complete) (*Editor, error) {
	cooked, err := liner.TerminalMode()
	if err != nil {
		return nil, err
	}
	e := &Editor{state: liner.NewLiner(), cooked: cooked, history: history}
	if err = ctrlCIsKey(); err == nil {
		e.raw, err = liner.TerminalMode()
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	e.state.SetCtrlCAborts(true)
	e.state.SetBeep(false)
	e.state.SetTabCompletionStyle(liner.TabPrints)
	e.state.SetWordCompleter(liner.WordCompleter(complete))
	for _, line := range history.Lines() {
		e.state.AppendHistory(line)
	}
	return e, cooked.ApplyMode()
}

// Line shows the prompt and returns the line that the user has edited. The error is
// ErrInterrupted after Ctrl-C, and io.EOF after Ctrl-D in an empty line or when the terminal is
// gone.
func (e *Editor) Line(prompt string) (string, error) {
	if err := e.raw.ApplyMode(); err != nil {
		return "", io.EOF
	}
	line, err := e.state.Prompt(prompt)
	_ = e.cooked.ApplyMode() // it fails when the terminal is gone
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", ErrInterrupted
	case err != nil:
		return "", io.EOF
	}
	if e.history.Add(line) {
		e.state.AppendHistory(line)
	}
	return line, nil
}

// Close gives the terminal back as it was, also while a line is edited. It may be called more than
// once.
func (e *Editor) Close() { _ = e.state.Close() }
