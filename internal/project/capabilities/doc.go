// Package capabilities derives what the listed tools of a graph file can do: a file with its
// graphs and what is known of upstream tools goes in; out come the calls with their effects, the
// servers with their commands or addresses and the names of the variables that they read, and
// whether the user is asked. Two results can be compared: what one can do and the other cannot.
//
// It must not know where effects are known from, nor how results are stored or printed. It starts
// no server, and its functions may be called by several goroutines.
package capabilities
