package wording

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled at its first use: most commands need few of them.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
