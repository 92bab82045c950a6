package config

import (
	"strings"
	"testing"
)

// Texts that YAML ends early, keys at another depth, and constants that are not replaced: each has one finding.
func TestTextsThatEndEarly(t *testing.T) {
	const good = "vars: {root: /data, weights: {name: 3, fact: 1}}\nmcpServers: {s: {command: x, args: [\"${vars.root}\"], env: {LEVEL: info}}}\n" +
		"tools: [{name: t, description: A text of it, nodes: [{id: a, type: entry, next: m}, {id: m, type: mcp, server: s, tool: u, args: {n: 1}, onError: {value: {content: nothing was written}}, retry: {attempts: 3}, next: b}, {id: b, type: exit}]}]\n"
	for _, c := range []struct{ from, to, want string }{
		{"nothing was written", "not written, because of it", `quote the whole text of "content" [key-without-value]`},
		{"{name: 3,", "{name:3,", "write a blank behind the colon: name: 3 [key-without-value]"},
		{"{content: nothing was written}", "{content, more: 1}", "write content: VALUE; a list is in [ ] [key-without-value]"},
		{"type: exit", "type:exit", "write a blank behind the colon: type: exit [unknown-key]"},
		{"LEVEL: info", "LEVEL:info", "write a blank behind the colon: LEVEL: info [wrong-type]"},
		{"LEVEL: info", "LEVEL: info, cwd: /tmp", "write it beside env [ignored-key]"},
		{"A text of it", "A text of #12\n ", "quote the text [comment-in-text]"},
		{"${vars.root}", "${root}", "write ${vars.root} [variable-not-replaced]"},
		{"${vars.root}", "$vars.root", "write ${vars.root} [variable-not-replaced]"},
		{"LEVEL: info", "LEVEL: $LOG_LEVEL", `write ${LOG_LEVEL} [variable-not-replaced]`},
		{"LEVEL: info", "FILE: $HOME/notes", `write ${HOME} [variable-not-replaced]`},
		{"\"${vars.root}\"", "\"--key=$API_KEY\", \"${vars.root}\"", `write ${API_KEY} [variable-not-replaced]`},
		{"{command: x, args: [\"${vars.root}\"], env: {LEVEL: info}}", "{url: \"http://localhost${vars.root}\", headers: {Authorization: Bearer $KEY}}", `write ${KEY} [variable-not-replaced]`},
		{"LEVEL: info", "LEVEL: $$, PRICE: $5, NAME: a$B, LOWER: $level", ""},
		{"LEVEL: info", "LEVEL: \"${LOG_LEVEL:-info}\"", ""},
		{"command: x, args: [", "command: /bin/sh, args: [-c, 'serve $HOME', ", ""},
		{"A text of it", "'A text of ${vars.root}'", "write the value of root [variable-not-replaced]"},
		{"{attempts: 3}", "{attempts: 3}, delayMs: 3", "it is a key of retry: write retry: {delayMs: …} [unknown-key]"},
		{"args: {n: 1}, onError: {value: {content: nothing was written}}, retry: {attempts: 3}, next: b", "args: {n: 1, next: b}", "write next beside args [missing-next]"},
		{"LEVEL: info", "LEVEL: info # 12 is the most\n ", ""},
		{"LEVEL: info", "level: info, cwd: /tmp", ""},
	} {
		f, err := Parse("g.yaml", []byte(head+strings.Replace(good, c.from, c.to, 1)), Options{LookupEnv: environment("root", "/x")})
		found, _ := err.(Diagnostics) //nolint:errorlint // it is not wrapped
		if err == nil {
			found = f.Warnings
		}
		if got := found.Error(); !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") || len(found) > 1 {
			t.Errorf("%s\ngot  %s\nwant %s", c.to, got, c.want)
		}
	}
}
