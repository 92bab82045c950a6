package mcpclient

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/wording"
)

// namesShown is how many names a hint lists.
const namesShown = 8

// suggest is the hint for a name that is none of those known: the one that was
// likely meant, else what there is; "" when there is nothing.
func suggest(name string, known []string) string {
	near := wording.Nearest(name, known)
	for _, k := range known {
		if near == "" && len(name) > 2 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			near = k
		}
	}
	if near != "" {
		return fmt.Sprintf("did you mean %q?", presentable(near, 200))
	}
	if len(known) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(known))
	more := ""
	if len(sorted) > namesShown {
		sorted, more = sorted[:namesShown], " …"
	}
	return "it may be one of " + presentable(strings.Join(sorted, ", "), 500) + more
}
