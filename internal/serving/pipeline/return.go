package pipeline

import (
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/callable"
)

// returned is what a request gives as its result in place of the list of its steps.
type returned struct {
	path   *graph.Path // nil: source is JSONata
	source string
}

// returnID is the id of the node that makes the result.
const returnID = "_return"

// returnOf returns what a request returns, over steps that are checked; nil for the list of its steps. A path begins with the name
// of a result; anything else is JSONata.
func returnOf(args value.Value, steps []*step) *returned {
	source, has := member(args, "return").(string)
	if !has {
		return nil
	}
	path, err := graph.ParsePath(unbraced(source))
	if err == nil && slices.ContainsFunc(steps, func(s *step) bool { return s.name() == path.Name }) {
		return &returned{path: &path, source: source}
	}
	return &returned{source: source}
}

// node returns the node that evaluates the JSONata.
func (r *returned) node(pos config.Pos) *config.Node {
	n := callable.Node(pos, returnID, config.TransformNode, exitID)
	n.Expr = config.Text{Value: r.source, Pos: pos}
	return n
}

// refused returns the refusal of what is wrong with JSONata, in the words of requests.
func (r *returned) refused(found config.Diagnostic) *graph.Problem {
	before, _, is := strings.Cut(found.Message, " is not a node of tool ")
	if is {
		found.Message = before + " is the name of no result"
	}
	if found.Hint != "" {
		found.Message += "; " + found.Hint
	}
	return &graph.Problem{Code: CodeInvalid, Message: "return: " + found.Message}
}

// value returns the result of a request whose steps have all ended: an object, because the tool has an outputSchema of one.
func (r *returned) value(steps []*step, executed []graph.Outcome) value.Value {
	var v value.Value
	for _, o := range executed {
		switch {
		case r.path == nil && o.Node == returnID:
			v = o.Output
		case r.path != nil && o.Output != nil && slices.ContainsFunc(steps, func(s *step) bool { return s.node == o.Node && s.name() == r.path.Name }):
			v = r.path.Value(o.Output)
		}
	}
	if v == nil {
		v = value.Null
	}
	if _, isObject := value.ObjectOf(v); isObject {
		return v
	}
	return value.NewObject([]string{"result"}, []value.Value{v})
}
