package graph

import (
	"time"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

// Ask asks the user of the client that called. Its output is what the user has filled in, an
// object; an empty one without a form.
type Ask struct {
	step
	Message *Args          // of a text
	Form    *schema.Schema // of the answer; nil: only yes or no
	Fields  *config.Data   // the form as the file has it; nil: only yes or no
	Timeout time.Duration  // for the answer
	OnError *OnError       // nil: a failure ends the run
	Help    string         // added to the message of a failure
}

// DefaultAskTimeout is how long an ask waits for an answer when the file does not say.
const DefaultAskTimeout = 10 * time.Minute

// LongestMessage is how many characters the message of an ask may have.
const LongestMessage = 2000

// Type returns config.AskNode.
func (*Ask) Type() config.NodeType { return config.AskNode }

// messageText returns the message as the file has it, for drawings.
func messageText(n *Ask) string {
	if exprs := n.Message.Expressions(); len(exprs) > 0 {
		return expressionText(exprs[0].Text)
	}
	text, _ := n.Message.root.constant.(string)
	return text
}
