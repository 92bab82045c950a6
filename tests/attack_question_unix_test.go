//go:build unix

package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/base/wording"
)

// remarks has calls and questions with texts of the caller.
const remarks = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ["$LEDGER"], env: {TOKEN: "${TOOLGRAPH_ATTACK_TOKEN:-hunter2-hunter2}"}}}
tools:
- name: remove
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, confirm: true, args: {a: {expr: $.entry.a}, z: {expr: $.entry.z}}, next: exit}
  - {id: exit, type: exit}
- name: all
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, confirm: true, forEach: {items: '[1..3]'}, args: {a: {expr: $.entry.a}, z: {expr: '$.entry.z & $string($item)'}}, next: exit}
  - {id: exit, type: exit}
- name: ask
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: {expr: $.entry.text}, next: exit}
  - {id: exit, type: exit}
- name: small
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, args: {n: 1, text: {expr: $.entry.text}}, next: exit}
  - {id: exit, type: exit}
`

// ask calls a tool and declines its question, which is returned.
func (h *userHost) ask(tool string, args any) string {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	c := h.begin(tool, string(raw))
	q := c.question()
	c.answer(q, no)
	c.failed("the user declined")
	return q.Message
}

// A long argument does not hide another one from the user, and what is missing is said.
func TestAttackPaddedArguments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("nothing to see ", 2000)
	many := map[string]string{"b": long, "c": long, "d": long}
	atEachDoor(t, remarks, canAsk, func(t *testing.T, h *userHost) {
		for _, args := range []any{
			map[string]any{"a": long, "z": "/home"},
			map[string]any{"a": []any{long, map[string]any{"b": long, "c": long}}, "z": "/home"},
			map[string]any{"a": many, "z": "/home"},
		} {
			if got := h.ask("remove", args); !strings.Contains(got, `"z":"/home"`) || !strings.Contains(got, "bytes; long texts are truncated)") || len(got) > 2000 {
				t.Errorf("asked with %d bytes: %s", len(got), got)
			}
		}
		if got := h.ask("all", map[string]any{"a": long, "z": "/home"}); strings.Count(got, `"z":"/home`) != 3 || len(got) > 2000 {
			t.Errorf("asked: %s", got)
		}
		numbers := make([]int, 5000)
		if got := h.ask("remove", map[string]any{"a": numbers, "z": "/home"}); !strings.Contains(got, "bytes, only the first 1500 are shown)") || len(got) > 2000 {
			t.Errorf("asked with %d bytes: %s", len(got), got)
		}
		h.called(0)
	})
}

const hostileText = "\x1b[2J\x1b]0;title\a\u202egnp.exe\u2066\u200b\ufeff\x00\r\u2028\u009b1m Allow?"

func printable(t *testing.T, what, message string) {
	t.Helper()
	for _, r := range message {
		if wording.IsHidden(r) {
			t.Errorf("%s has the hidden character %U: %q", what, r, message)
			return
		}
	}
	if !strings.Contains(message, "Allow?") {
		t.Errorf("%s: %q", what, message)
	}
}

// Characters that a terminal acts on, or that reverse or hide text, reach no host in a question.
func TestAttackHostileText(t *testing.T) {
	t.Parallel()
	atEachDoor(t, remarks, canAsk, func(t *testing.T, h *userHost) {
		printable(t, "an ask", h.ask("ask", map[string]string{"text": hostileText}))
		printable(t, "a confirmation", h.ask("remove", map[string]any{"a": map[string]string{hostileText: hostileText}}))
		h.called(0)
	})
	evil, err := json.Marshal(hostileText)
	if err != nil {
		t.Fatal(err)
	}
	server := strings.ReplaceAll(strings.Replace(asking, `"Delete it?"`, string(evil), 1), "echo '", "printf '%s\\n' '")
	atEachDoor(t, graphOn(t, server, ", allow: [elicitation]"), canAsk, func(t *testing.T, h *userHost) {
		c := h.begin("go", `{}`)
		q := c.question()
		printable(t, "a server's question", q.Message)
		if !strings.HasPrefix(q.Message, `The server "up" asks: `) {
			t.Errorf("asked: %s", q.Message)
		}
		c.answer(q, no)
		c.result()
	})
}

// A server that asks for a password in a form is refused, also where it may ask.
func TestAttackPasswordForm(t *testing.T) {
	t.Parallel()
	for _, field := range []string{
		`{"password":{"type":"string"}}`, `{"a":{"type":"string","title":"Your API key"}}`, `{"a":{"type":"string","format":"password"}}`,
		`{"ok":{"type":"boolean"},"access_token":{}}`,
	} {
		server := strings.Replace(asking, `"properties":{}`, `"properties":`+field, 1)
		for _, d := range []door{{}, {modern: true}} {
			h := newUserHost(t, d, graphOn(t, server, ", allow: [elicitation]"), canAsk)
			if got := h.begin("go", `{}`).result().text(t); got != `"kept"` {
				t.Errorf("%s: %s", field, got)
			}
		}
	}
}

// A secret that comes back as an argument or a text is in no question, failure, record or audit log.
func TestAttackSecretInAQuestion(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	text := "a " + secret + " Allow?"
	atEachDoor(t, remarks, canAsk, func(t *testing.T, h *userHost) {
		long := strings.Repeat("x", 190) + secret + strings.Repeat("y", 2000) // truncated within the secret
		said := h.ask("ask", map[string]string{"text": text}) + h.ask("remove", map[string]string{"a": text}) +
			h.ask("remove", map[string]string{"a": long}) + h.ask("all", map[string]string{"a": long, "z": text})
		if strings.Contains(said, "hunter") || strings.Count(said, "[redacted]") < 4 {
			t.Errorf("asked: %s", said)
		}
		h.called(0)
		log := filepath.Join(t.TempDir(), "audit.jsonl")
		h.toolgraph("run", h.graph, "small", "--args", `{"text":"`+text+`"}`, "--audit", log)
		h.called(1)
		src, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		recorded := string(src) + h.toolgraph("runs", "show", "last", "--json") + h.toolgraph("runs", "list", "--format", "json")
		if strings.Contains(recorded, "hunter") || !strings.Contains(string(src), `"enter"`) {
			t.Errorf("recorded: %s", recorded)
		}
	})
}
