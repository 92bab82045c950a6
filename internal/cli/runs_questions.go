package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
)

// questionShown is how many characters of a question a row shows; --step shows all of it.
const questionShown = 60

// statusText returns the status of a run, with the question that its user has not answered and the
// process that has it.
func statusText(r journal.Run) string {
	if r.Damaged != "" {
		return "damaged"
	}
	text := wording.Status(r.Status)
	if r.Old {
		text += ", old"
	}
	switch {
	case r.Question != nil:
		text += ": " + shortened(r.Question.Message, questionShown)
	case r.ForkedFrom != "":
		text += ", forked"
	}
	if r.Process != nil {
		text += " (" + r.Process.String() + ")"
	}
	return text
}

// printOpen prints the open question of a run.
func printOpen(w io.Writer, q *journal.Asked, full bool) {
	fmt.Fprintf(w, "\nstep %s, node %s, has waited for an answer since %s:\n", q.Address, wording.OneLine(q.Node), q.Time.Local().Format(time.DateTime))
	message := q.Message
	if !full {
		message = wording.Truncate(message, shownMessage)
	}
	printMessage(w, message)
}

func printMessage(w io.Writer, message string) {
	fmt.Fprintf(w, "  | %s\n", strings.ReplaceAll(wording.Printable(message), "\n", "\n  | "))
}

// actionTexts say what the user did with a question.
var actionTexts = map[execution.Action]string{
	execution.Accept: "accepted", execution.Decline: "declined", execution.Dismiss: "closed by the user",
	execution.TimedOut: "not answered in time", execution.NoUser: "not asked, because no user could be asked",
}

func actionText(q *view.Question) string {
	if text, known := actionTexts[q.Action]; known {
		return text
	}
	return "not answered"
}

// questionNotes are what the row of a step says of its last question and its confirmation.
func questionNotes(s *inspect.Step) (notes []string) {
	if n := len(s.Questions); n > 0 {
		q := &s.Questions[n-1]
		notes = append(notes, fmt.Sprintf("%s: %s", actionText(q), shortened(q.Message, questionShown)))
	}
	if s.Confirmed != nil && len(s.Questions) == 0 {
		notes = append(notes, "confirmed")
	}
	return notes
}

// printQuestions prints the questions of a step and its confirmation.
func printQuestions(w io.Writer, s *inspect.Step) {
	for i := range s.Questions {
		q := &s.Questions[i]
		fmt.Fprintf(w, "asked at %s:\n", q.Asked.Local().Format(time.DateTime))
		printMessage(w, q.Message)
		at := ""
		if !q.Answered.IsZero() {
			at = " at " + q.Answered.Local().Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s%s", actionText(q), at)
		if q.Content != nil {
			fmt.Fprintf(w, ": %s", recordedText(*q.Content, false))
		}
		fmt.Fprintln(w)
	}
	if c := s.Confirmed; c != nil {
		fmt.Fprintf(w, "confirmed by the user at %s, digest %s\n", c.At.Local().Format(time.DateTime), wording.OneLine(c.Digest))
	}
}
