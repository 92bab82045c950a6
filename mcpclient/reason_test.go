package mcpclient

import (
	"slices"
	"strings"
	"testing"
)

// X21: the reason comes first, whatever is around it. The texts are those of servers of npm.
func TestX21ReasonOfLines(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		want []string
	}{
		"nothing":    {"", nil},
		"one line":   {"BRAVE_API_KEY is not set", []string{"BRAVE_API_KEY is not set"}},
		"a greeting": {"Server 1.0 starts\nError: no key\nuse --key", []string{"Error: no key", "use --key", "Server 1.0 starts"}},
		"a stack of Node": {
			"/usr/lib/x/dist/index.js:18\n        throw new Error('a key is needed');\n              ^\n\nError: a key is needed\n    at main (/usr/lib/x/dist/index.js:18:41)\n    at node:internal/main/run_main_module:36:49\n\nNode.js v22.23.3",
			[]string{"Error: a key is needed"},
		},
		"a stack of Python": {
			"Traceback (most recent call last):\n  File \"/x/main.py\", line 3, in <module>\nKeyError: 'TOKEN'",
			[]string{"KeyError: 'TOKEN'"},
		},
		"a long usage": {
			"Error: No access token was provided\n" + strings.Repeat("  --flag\n  --other\n", 20) + strings.Join(strings.Split("1 2 3 4 5 6 7 8 9 10 11 12", " "), "\n"),
			[]string{"Error: No access token was provided", "  --flag", "  --other", "1", "2"},
		},
		"a heading":     {"Error while starting:\n[\n  {\n    \"message\": \"URL cannot be empty\"\n  }\n]", []string{"    \"message\": \"URL cannot be empty\"", "  }", "]", "[", "  {"}},
		"repeated":      {"connecting\nretry\nconnecting\nretry\nconnect ECONNREFUSED, failed", []string{"connect ECONNREFUSED, failed", "connecting", "retry"}},
		"no reason":     {"1\n2\n3\n4\n5\n6\n7", []string{"3", "4", "5", "6", "7"}},
		"only a stack":  {"    at a\n    at b", []string{"    at a", "    at b"}},
		"a word before": {"[main] fatal: no such place\nbye", []string{"[main] fatal: no such place", "bye"}},
	} {
		var lines []string
		if c.said != "" {
			lines = strings.Split(c.said, "\n")
		}
		if got := reasonFirst(lines, 5); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
