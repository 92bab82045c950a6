package shape

// Presence is how certain something is.
type Presence uint8

// It may be, or not; it is for certain; it is certain not to be.
const (
	Maybe Presence = iota
	Always
	Never
)

// Binding is what is known of a name in the context.
type Binding struct {
	Shape    Shape    // its value, nothing included when the node may yield that
	Presence Presence // whether the node has run when the expression is evaluated
}

// Env is what an expression is evaluated over. The zero Env is an empty context.
type Env struct {
	// Context is what the root's fields are: the nodes of the graph. It is not kept.
	Context map[string]Binding
	// Open tells that the context may have names that Context does not.
	Open bool
	// Previous is the shape of $previousNode(), nothing included when there may be no
	// execution before this one.
	Previous Shape
	// Needed tells that a value of the whole expression is needed.
	Needed bool
	// Required says what requires the value of the expression, as in "argument "a" is
	// required"; it is empty when nothing does. A field that may be missing counts then.
	Required string
	// Wanted is what the value has to be: nothing may be missing that it requires. The
	// zero Shape wants nothing.
	Wanted Shape
	// Declared tells whether the shape of a name is what a schema says. It may be nil: that
	// of none is.
	Declared func(name string) bool
	// Asked tells whether it was asked before whether a field is there. It may be nil.
	Asked func(path []string) bool
}

// root is the context as a shape.
func (e *Env) root() Shape {
	fields := make([]Field, 0, len(e.Context))
	for _, name := range sortedNames(e.Context) {
		b := e.Context[name]
		if b.Presence == Never || b.Shape.IsNothing() {
			continue
		}
		mayLack := !b.Shape.IsAny() && b.Shape.MayBeNothing()
		fields = append(fields, Field{Name: name, Shape: b.Shape.inside(), Optional: b.Presence == Maybe || mayLack})
	}
	return Object(fields, e.Open)
}
