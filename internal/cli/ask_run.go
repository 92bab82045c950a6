package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// runUser is the person at the terminal, for the questions of one run.
type runUser struct {
	*asker
	tool    string          // that the run is of
	secrets *config.Secrets // of its file
	yes     bool            // --yes was given
}

// yesFlag registers --yes.
func (f *sessionFlags) yesFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.yes, "yes", false, "answer yes to every question that has no form, such as the confirmation of a call; questions with a form are still asked")
}

// CanAsk returns why calls cannot be confirmed: there is no terminal, and no --yes.
func (u *runUser) CanAsk(context.Context) error {
	if u.yes || u.talks {
		return nil
	}
	return &runtime.NoUserError{Why: noTerminal + " (--yes agrees without asking)"}
}

// Ask asks the person at the terminal after a Turn. With --yes it answers the questions that have no
// form itself, and says what it has agreed to.
func (u *runUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	from := fmt.Sprintf("node %s of tool %s", q.Node, u.tool)
	if tool, node, below := strings.Cut(q.Node, ":"); below {
		from = fmt.Sprintf("node %s of tool %s", node, tool)
	}
	from = wording.OneLine(from)
	message := presented(q.Message, shownQuestion, u.secrets)
	switch {
	case u.yes && q.Form == nil:
		u.say("toolgraph: --yes answers the question of %s: %s\n", from, wording.OneLine(message))
		return execution.Answer{Action: execution.Accept}, nil
	case !u.talks && q.Form == nil:
		return execution.Answer{}, &runtime.NoUserError{Why: noTerminal + " (--yes agrees without asking)"}
	case !u.talks:
		return execution.Answer{}, &runtime.NoUserError{Why: noTerminal}
	}
	f, err := readForm(runtime.Elicitation(&q))
	if err != nil {
		return execution.Answer{}, &runtime.NoUserError{Why: "the terminal cannot show the question: " + err.Error()}
	}
	if q.Form == nil {
		f.sends = "Your answer?"
	}
	return u.put(ctx, "Toolgraph asks for "+from, message, f, u.secrets)
}
