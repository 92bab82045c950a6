package completion

import (
	"context"
	"strings"

	"toolgraph/internal/base/wording"
)

// Call is the call of a function around a place of an expression.
type Call struct {
	Label      string   // the whole signature: $name(a: string, b: number?) → string
	Parameters [][2]int // the bytes of each parameter in Label
	Active     int      // the parameter at the place; behind the last one when there are too many arguments
	Doc        string
}

// CallAt returns the call whose arguments are at a byte of a text: of a function of the library, or of one
// that the expression itself defines. ok is false elsewhere.
func CallAt(ctx context.Context, src string, offset int, known *Known) (call Call, ok bool) {
	c, ok := newCursor(ctx, src, offset, known)
	if !ok || c.node == nil {
		return call, false
	}
	s, ok := c.expression()
	if !ok {
		return call, false
	}
	name, active, ok := openCall(s.before)
	if !ok {
		return call, false
	}
	params, result := parametersOf(name)
	if _, isKnown := functions()[name]; isKnown {
		call.Doc = docOf(name)
	} else if params, ok = definedIn(strings.ReplaceAll(c.of.text, mark, ""), name); !ok {
		return call, false
	}
	var b strings.Builder
	b.WriteString("$" + name + "(")
	for i, p := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		from := b.Len()
		b.WriteString(p.name)
		if p.typ != "" {
			b.WriteString(": " + p.typ)
		}
		call.Parameters = append(call.Parameters, [2]int{from, b.Len()})
		if strings.HasSuffix(p.typ, "…") { // it takes all further arguments
			active = min(active, i)
		}
	}
	b.WriteString(")")
	if result != "" {
		b.WriteString(" → " + result)
	}
	call.Label, call.Active = b.String(), active
	return call, true
}

// opened is a bracket that is not closed.
type opened struct {
	at     int
	commas int
}

// openCall returns the name of the innermost function whose call is not closed at the end of a text, and the
// number of the argument there, counted from 0. In x ~> $f(…) the first argument is x.
func openCall(text string) (name string, argument int, ok bool) {
	var stack []opened
	scan(text, func(at int, sign byte) {
		switch sign {
		case '(', '[', '{':
			stack = append(stack, opened{at: at})
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case ',':
			if len(stack) > 0 {
				stack[len(stack)-1].commas++
			}
		}
	})
	for i := len(stack) - 1; i >= 0; i-- {
		in := stack[i]
		if text[in.at] != '(' {
			continue
		}
		before := strings.TrimRight(text[:in.at], " \n")
		word := wordAtEnd(before, "_")
		head := strings.TrimSuffix(before, word)
		if word == "" || !strings.HasSuffix(head, "$") {
			continue
		}
		if strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(head, "$"), " \n"), "~>") {
			in.commas++
		}
		return word, in.commas, true
	}
	return "", 0, false
}

// definition is the beginning of a function that an expression gives a name.
var definition = wording.Pattern(`\$(\w+)\s*:=\s*(?:function|λ)\s*\(([^)]*)\)`)

// definedIn returns the parameters of a function that an expression defines.
func definedIn(text, name string) (params []parameter, ok bool) {
	for _, found := range definition().FindAllStringSubmatch(text, -1) {
		if found[1] != name {
			continue
		}
		for _, p := range strings.Split(found[2], ",") {
			if p = strings.TrimSpace(p); p != "" {
				params = append(params, parameter{name: p})
			}
		}
		return params, true
	}
	return nil, false
}
