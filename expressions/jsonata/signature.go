package jsonata

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// signature is the types of a function's parameters, such as <s-n?:s>.
type signature struct {
	params []parameter
}

// parameter is one of them. The types are letters: s string, n number, b boolean,
// l null, a array, o object, f function, m missing.
type parameter struct {
	letter   byte   // as written: one of those, x or j, or ( for a choice
	types    string // the types that match
	subtype  byte   // of an array: the type of its items, or 0
	optional bool   // ? or -
	context  bool   // -: the context is its default
	many     bool   // +
}

const anyType = "asnblfom"

// parseSignature parses a signature; fault is its error, or empty.
func parseSignature(text string) (s *signature, fault string) {
	s = &signature{}
	for i := 1; i < len(text) && text[i] != ':' && text[i] != '>'; i++ {
		last := &parameter{}
		if len(s.params) > 0 {
			last = &s.params[len(s.params)-1]
		}
		switch c := text[i]; c {
		case 's', 'n', 'b', 'l', 'o':
			s.params = append(s.params, parameter{letter: c, types: string(c) + "m"})
		case 'a', 'x':
			s.params = append(s.params, parameter{letter: c, types: anyType})
		case 'j':
			s.params = append(s.params, parameter{letter: c, types: "asnblom"})
		case 'f':
			s.params = append(s.params, parameter{letter: c, types: "f"})
		case '-':
			last.optional, last.context = true, true
		case '?':
			last.optional = true
		case '+':
			last.many = true
		case '(':
			choice, _, _ := strings.Cut(text[i+1:], ")")
			if strings.Contains(choice, "<") {
				return nil, "a choice in a signature cannot contain typed arrays"
			}
			s.params = append(s.params, parameter{letter: c, types: choice + "m"})
			i += len(choice) + 1
		case '<':
			if last.letter != 'a' && last.letter != 'f' {
				return nil, "types in a signature's < > can only be given to a and f"
			}
			end := i
			for depth := 0; end < len(text); end++ {
				depth += strings.Count(text[end:end+1], "<") - strings.Count(text[end:end+1], ">")
				if depth == 0 {
					break
				}
			}
			if last.letter == 'a' && i+1 < len(text) {
				last.subtype = text[i+1]
			}
			i = end
		}
	}
	return s, ""
}

// typeLetter is the type of a value.
func typeLetter(v any) byte {
	switch v.(type) {
	case nil:
		return 'm'
	case string:
		return 's'
	case float64, json.Number:
		return 'n'
	case bool:
		return 'b'
	case value.NullType:
		return 'l'
	case []any, *list:
		return 'a'
	}
	if isFunction(v) {
		return 'f'
	}
	return 'o'
}

// check fits the arguments of a call to the signature: the context replaces a missing
// argument, and a value where an array is expected becomes one.
func (s *signature) check(name string, args []any, context any) ([]any, error) {
	counts := make([]int, len(s.params))
	if !s.match(0, args, counts) {
		return nil, s.mismatch(name, args)
	}
	out := make([]any, 0, len(s.params))
	next := 0
	for i := range s.params {
		p := &s.params[i]
		if counts[i] == 0 && p.context {
			if !p.takes(context) {
				return nil, functionError("T0411", name, fmt.Sprintf("lacks argument %d, and the context is not %s", next+1, p.words()))
			}
			out = append(out, context)
			continue
		}
		for range max(1, counts[i]) {
			var arg any
			if next < len(args) {
				arg = args[next]
			}
			next++
			if p.letter == 'a' && arg != nil {
				var ok bool
				if arg, ok = p.array(arg); !ok {
					return nil, functionError("T0412", name, fmt.Sprintf("expects %s as argument %d", p.words(), next))
				}
			}
			out = append(out, arg)
		}
	}
	return out, nil
}

// fit is check for arguments of which each fits the parameter at its place, as nearly always; not ok where check
// may do something else. It changes args, and uses the room behind them.
func (s *signature) fit(args []any) (fitting []any, ok bool) {
	if len(args) > len(s.params) {
		return nil, false
	}
	for i := range s.params {
		p := &s.params[i]
		switch {
		case p.many || i >= len(args) && (!p.optional || p.context) || i < len(args) && !p.takes(args[i]):
			return nil, false
		case i < len(args) && p.letter == 'a' && args[i] != nil:
			if _, ok := p.array(args[i]); !ok {
				return nil, false
			}
		}
	}
	for i := range s.params {
		switch {
		case i >= len(args):
			args = append(args, nil)
		case s.params[i].letter == 'a' && args[i] != nil:
			if _, isArray := itemsOf(args[i]); !isArray {
				args[i] = []any{args[i]}
			}
		}
	}
	return args, true
}

// match finds how many arguments each parameter from i on takes, as many as can be.
func (s *signature) match(i int, args []any, counts []int) bool {
	if i == len(s.params) {
		return len(args) == 0
	}
	p := &s.params[i]
	most := 0
	for most < len(args) && p.takes(args[most]) && (most == 0 || p.many) {
		most++
	}
	least := 1
	if p.optional {
		least = 0
	}
	for n := most; n >= least; n-- {
		if counts[i] = n; s.match(i+1, args[n:], counts) {
			return true
		}
	}
	return false
}

func (p *parameter) takes(v any) bool {
	return p.types == anyType || strings.IndexByte(p.types, typeLetter(v)) >= 0
}

// array is the argument as the array that is expected; not ok when its items are of
// another type.
func (p *parameter) array(arg any) (any, bool) {
	items, ok := itemsOf(arg)
	if !ok {
		return []any{arg}, p.subtype == 0 || typeLetter(arg) == p.subtype
	}
	if p.subtype != 0 {
		for _, item := range items {
			if typeLetter(item) != p.subtype {
				return nil, false
			}
		}
	}
	return arg, true
}

// mismatch is the error of arguments that do not match: the first that is of another
// type, is missing, or is one too many.
func (s *signature) mismatch(name string, args []any) error {
	pos := 0
	for i := range s.params {
		p := &s.params[i]
		if pos < len(args) && p.takes(args[pos]) {
			pos++
			for p.many && pos < len(args) && p.takes(args[pos]) {
				pos++
			}
			continue
		}
		if !p.optional {
			return functionError("T0410", name, "expects "+p.words()+" as argument "+strconv.Itoa(pos+1))
		}
	}
	if last := len(s.params) - 1; pos < len(args) && pos <= last {
		return functionError("T0410", name, "expects "+s.params[last].words()+" as argument "+strconv.Itoa(pos+1))
	}
	return functionError("T0410", name, fmt.Sprintf("expects at most %d arguments", len(s.params)))
}

var typeWords = map[byte]string{
	's': "a string", 'n': "a number", 'b': "true or false", 'l': "null", 'a': "an array", 'o': "an object",
	'f': "a function", 'j': "a value that is not a function", 'x': "a value",
}

var itemWords = map[byte]string{'s': "strings", 'n': "numbers", 'b': "booleans", 'o': "objects", 'a': "arrays", 'f': "functions"}

// words describe the expected argument.
func (p *parameter) words() string {
	if p.letter == '(' {
		choice := strings.TrimSuffix(p.types, "m")
		words := make([]string, 0, len(choice))
		for i := range choice {
			words = append(words, typeWords[choice[i]])
		}
		return strings.Join(words, " or ")
	}
	if items := itemWords[p.subtype]; items != "" && p.letter == 'a' {
		return "an array of " + items
	}
	return typeWords[p.letter]
}
