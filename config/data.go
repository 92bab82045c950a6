package config

// Kind is what a Data is.
type Kind int

// The kinds of Data.
const (
	KindScalar     Kind = iota // Scalar holds it
	KindObject                 // Keys[i] belongs to Items[i]
	KindArray                  // Items
	KindExpression             // only inside args: {expr: …}; Expr holds the JSONata source
)

// Data is a piece of free-form YAML (args, a rule, a schema) with the place of
// everything in it and object keys in file order.
type Data struct {
	Pos    Pos
	Kind   Kind
	Scalar any  // nil, bool, float64, json.Number (an integer beyond 2^53) or string
	Text   Text // a string scalar's text with its place
	Expr   Text
	Keys   []Text
	Items  []*Data
}

// Get is the item under a key of an object, or nil.
func (d *Data) Get(key string) *Data {
	if d == nil || d.Kind != KindObject {
		return nil
	}
	for i, k := range d.Keys {
		if k.Value == key {
			return d.Items[i]
		}
	}
	return nil
}

// At follows a path of keys (string) and indexes (int) as far as it goes and
// returns what it found there; it is never nil when d is not.
func (d *Data) At(path ...any) *Data {
	for _, step := range path {
		var next *Data
		switch s := step.(type) {
		case string:
			next = d.Get(s)
		case int:
			if d.Kind == KindArray && s >= 0 && s < len(d.Items) {
				next = d.Items[s]
			}
		}
		if next == nil {
			return d
		}
		d = next
	}
	return d
}
