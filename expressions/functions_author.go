package expressions

// authorFunctions end an evaluation with the author's own words, which alone may
// hold values of the context.
var authorFunctions = map[string]function{
	"error":  authored("error", "D3137"),
	"assert": authored("assert", "D3141"),
}

// authorError is the end that the author of an expression asked for.
type authorError struct{ name, code, text string }

func (e *authorError) Error() string { return e.text }

func authored(name, code string) function {
	return func(c call) (any, error) {
		value, err := c.engine(name, c.args)
		if err == nil {
			return value, nil
		}
		if found, text := engineError(err); found == code {
			return nil, &authorError{name: name, code: code, text: text}
		}
		return nil, err
	}
}
