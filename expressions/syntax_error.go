package expressions

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/blues/jsonata-go/jparse"
	"github.com/recolabs/gnata"
)

// locate makes a SyntaxError of what the engine says about the tokens: what another
// language has there, else what was found.
func locate(source string, tokens []token, failure error) *SyntaxError {
	found := locateFailure(source, tokens, failure)
	if err := foreign(source, tokens, found.Offset); err != nil {
		return err
	}
	return found
}

// locateFailure is where the source fails, and how. The engine tells no place: the second parser does when it refuses them too, else the place
// is the first token up to which they fail in the same way.
func locateFailure(source string, tokens []token, failure error) *SyntaxError {
	code, message := engineMessage(failure)
	if newer := code == "S0214" || code == "S0215" || code == "S0216"; !newer {
		if err := placedByTree(source, tokens); err != nil {
			return err
		}
	}
	same := func(n int) bool {
		_, err := gnata.Compile(engineSource(tokens[:n+1]))
		return err != nil && err.Error() == failure.Error()
	}
	i := sort.Search(len(tokens)-1, same)
	if strings.Contains(failure.Error(), `"EOF"`) {
		return &SyntaxError{Offset: len(source), Message: "found the end of the expression, expected more", Hint: ""}
	}
	t := &tokens[i]
	if known, ok := syntaxMessages[code]; ok {
		message = known
	}
	return &SyntaxError{Offset: t.start, Token: t.text, Message: fmt.Sprintf("found %s: %s", shorten(t.text), message)}
}

var engineFailure = regexp.MustCompile(`^JSONata error ([A-Z]\d{4})(?: at token "(?:[^"\\]|\\.)*")?: (.*)$`)

func engineMessage(failure error) (code, message string) {
	if m := engineFailure.FindStringSubmatch(failure.Error()); m != nil {
		return m[1], m[2]
	}
	return "", failure.Error()
}

// syntaxMessages say in our words what the engine's codes mean.
var syntaxMessages = map[string]string{
	"S0102": "not a number that can be used",
	"S0103": "a backslash in a string must be followed by one of \"\\/bfnrtu",
	"S0104": "\\u must be followed by four hexadecimal digits",
	"S0201": "expected an operator or the end",
	"S0202": "expected something else here",
	"S0203": "expected ) before the end",
	"S0204": "expected a comma or ]",
	"S0207": "nothing follows this operator",
	"S0208": "a function's parameter must be a $variable",
	"S0209": "a predicate cannot follow a grouping in a step",
	"S0210": "a step can have only one grouping",
	"S0211": "it cannot begin an operand",
	"S0212": "the left side of := must be a $variable",
	"S0214": "@ and # must be followed by a $variable",
	"S0215": "@ must come before the predicates of its step",
	"S0216": "@ must come before the sort of its step",
	"S0301": "the regular expression is empty",
	"S0302": "the regular expression is not closed",
	"S0401": "types in a signature's < > can only be given to a and f",
	"S0402": "a choice in a signature cannot hold typed arrays",
}

// placedByTree is the second parser's opinion, or nil when it finds no fault.
func placedByTree(source string, tokens []token) *SyntaxError {
	_, offsets, err := parseTree(tokens)
	var failure *jparse.Error
	if !errors.As(err, &failure) {
		return nil
	}
	offset, text := len(source), ""
	i := sort.SearchInts(offsets, failure.Position+1) - 1
	if failure.Type == jparse.ErrUnexpectedEOF || failure.Type == jparse.ErrMissingToken || failure.Position >= offsets[len(offsets)-1] {
		i = len(tokens)
	}
	if i >= 0 && i < len(tokens) {
		offset, text = tokens[i].start, tokens[i].text
	}
	out := &SyntaxError{Offset: offset, Token: text}
	found := "found " + shorten(text)
	if text == "" {
		found = "found the end of the expression"
	}
	switch failure.Type {
	case jparse.ErrSyntaxError:
		out.Message = found + ", expected an operator or the end"
	case jparse.ErrUnexpectedEOF:
		out.Message = found + ", expected an operand"
	case jparse.ErrUnexpectedToken, jparse.ErrMissingToken:
		out.Message = found + ", expected " + failure.Hint
	case jparse.ErrPrefix:
		out.Message = found + ", expected an operand"
	case jparse.ErrInfix:
		out.Message = found + ", expected an operator"
	case jparse.ErrIllegalParam:
		out.Message = found + ", expected a $variable as a parameter"
	case jparse.ErrInvalidNumber, jparse.ErrNumberRange:
		out.Message = found + ", expected a number within float64"
	default:
		// The rest has no place in the second parser.
		return nil
	}
	return out
}
