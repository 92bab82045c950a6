package graph

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// operands holds which arguments of a program the file itself has. Others come from data, and
// must not become options: a file name such as -o/etc/x would say what the program does.
type operands struct {
	program string
	literal []bool // for each element of args: whether it is written in the file
	secrets *config.Secrets
}

// OptionError is the error of arguments by which data would give a program an option.
type OptionError struct {
	Program string
	Index   int    // in args
	Text    string // the argument, redacted
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("not called, because args[%d] is %s: it comes from data and begins with -, so that program %q may read it as an option; %s",
		e.Index, wording.Quote(e.Text), e.Program, optionRemedy)
}

// ErrorCode returns config.FailInvalidArguments.
func (*OptionError) ErrorCode() string { return string(config.FailInvalidArguments) }

const optionRemedy = `end the program's command with --, or begin the expression with a literal: "./" & …`

// programOf returns the program that a node calls; nil when it calls none.
func (c *compiler) programOf(n *config.Node) *config.Program {
	for _, u := range c.file.Servers {
		if u.Name.Value == n.Server.Value {
			return u.Program(n.Tool.Value)
		}
	}
	return nil
}

// operandsOf returns what guards the arguments of a node that calls a program; nil when nothing
// needs to. It warns of expressions whose values may be refused.
func (c *compiler) operandsOf(p *config.Program, n *config.Node) *operands {
	list := n.Args.Get("args")
	if !p.TakesOptions() || list == nil {
		return nil
	}
	o := &operands{program: p.Name.Value, secrets: c.file.Secrets}
	elements := []*config.Data{list}
	if list.Kind == config.KindArray {
		elements = list.Items
	}
	for _, item := range elements {
		if list.Kind == config.KindArray {
			o.literal = append(o.literal, item.Kind == config.KindScalar && c.references == nil) // with references, args are a client's
		}
		if item.Kind == config.KindExpression && !literalStart().MatchString(item.Expr.Value) {
			c.found.Warn(item.Pos, "option-from-data",
				fmt.Sprintf("the call of program %q fails when this expression yields a text that begins with -", p.Name.Value), optionRemedy)
		}
	}
	return o
}

// literalStart matches expressions whose value begins with a literal other than -: a text that & joins
// with paths and texts.
var literalStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:"[^"\\-][^"\\]*"|'[^'\\-][^'\\]*')\s*&[\s\w.$&\[\]"'/]*$`)
})

// check returns the error of the first argument that is not from the file and begins with -.
func (o *operands) check(args value.Value) error {
	object, isObject := value.ObjectOf(args)
	if !isObject {
		return nil
	}
	list, _ := object.Get("args")
	texts, _ := list.([]any)
	for i, v := range texts {
		text, _ := v.(string)
		if strings.HasPrefix(text, "-") && (i >= len(o.literal) || !o.literal[i]) {
			return &OptionError{Program: o.program, Index: i, Text: o.secrets.Redact(text)}
		}
	}
	return nil
}
