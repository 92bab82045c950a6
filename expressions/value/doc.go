// Package value holds the values that travel through a run. In goes JSON, out come Values,
// and back; objects keep the order of their keys, large numbers their digits.
//
// A Value is Null, a bool, a float64, a json.Number where a float64 would lose digits, a
// string, a []any or an Object. A nil Value is nothing: JSONata's undefined. Values are not
// changed once made, and may then be shared by goroutines.
package value
