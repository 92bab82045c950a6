package value

// Value is a JSON value as it travels through a run. It is made by Decode, by
// FromPlain or by an evaluation, is never changed in place, and is opaque but for
// its scalars:
//
//	nil          no value (JSONata's undefined); encoded as null
//	Null         JSON null
//	bool, string, float64
//	json.Number  an integer beyond 2^53, digits kept
//	[]any        an array of Values
//	Object       an object whose keys keep their order
//	map[string]any  an object without order (sorted when encoded)
type Value = any

// Null is JSON null.
var Null Value = NullType{}

// NullType is the type of Null.
type NullType struct{}

// MarshalJSON writes null.
func (NullType) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// IsNull reports whether v is JSON null.
func IsNull(v any) bool { return v == Null }
