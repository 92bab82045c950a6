package wording

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled at its first use: most commands need few of them. Inlined in
// each of its many callers it would take 100 KB of the program.
//
//go:noinline
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
