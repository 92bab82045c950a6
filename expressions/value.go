package expressions

import "github.com/recolabs/gnata"

// Value is a JSON value as it travels through a run. It is made by Decode, by
// FromPlain or by an evaluation, is never changed in place, and is opaque but for
// its scalars:
//
//	nil          nothing at all (JSONata's undefined); encoded as null
//	Null         JSON null
//	bool, string, float64
//	json.Number  an integer beyond 2^53, digits kept
//	[]any        an array of Values
//	Object       an object whose keys keep their order
//	map[string]any  an object without order (sorted when encoded)
type Value = any

// Object is an object that keeps the order of its keys.
type Object interface {
	Keys() []string // in order; not to be changed
	Get(key string) (any, bool)
	Len() int
}

// Null is JSON null.
var Null Value = engineNull()

// engineEnv holds the engine's library as it comes, for looking functions up.
var engineEnv = gnata.NewCustomEnv(nil)
