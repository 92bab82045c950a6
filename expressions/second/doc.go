// Package second has the second opinions: what blues/jsonata-go makes of an expression, and
// diegoholiveira/jsonlogic of a rule. Authors compare them with toolgraph's own engines.
//
// In: a source, the data and variables. Out: a value, or why there is none. Neither engine has limits:
// some inputs never end, and some end the process. So Answer belongs into a process of its own, which Ask
// starts, watches and ends.
//
// The package must not know runs or graph files. It owns the modules blues/jsonata-go and diegoholiveira/jsonlogic.
package second
