// Package value defines the values that travel through a run. It decodes JSON to Values and
// encodes them; objects keep the order of their keys, large numbers their digits. The package
// must not know where values come from.
//
// A Value is Null, a bool, a float64, a json.Number where a float64 would lose digits, a
// string, a []any or an Object. A nil Value is no value: JSONata's undefined. Values are not
// changed once made, and may then be shared by goroutines.
//
// A Value of an evaluation may hold the same part many times. A Meter bounds the work on such values:
// functions that take none are for values that are bounded as JSON.
package value
