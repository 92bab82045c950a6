// Package observe watches: it makes the logger that the other rooms are given, in
// which no secret stands. It changes nothing.
package observe
