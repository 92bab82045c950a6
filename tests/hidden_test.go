package tests

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// hiding has a listed tool and a hidden one, which write to the same ledger.
const hiding = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ['ledger=$LEDGER']}}
tools:
  - name: shown
    description: Enters a number.
    nodes:
      - {id: entry, type: entry, next: enter}
      - {id: enter, type: mcp, server: up, tool: enter, args: {n: 1}, next: exit}
      - {id: exit, type: exit}
  - name: hidden_step
    hidden: true
    nodes:
      - {id: entry, type: entry, next: enter}
      - {id: enter, type: mcp, server: up, tool: enter, args: {n: 2}, next: exit}
      - {id: exit, type: exit}
`

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// postModern sends a request of the newer era over HTTP.
func postModern(t *testing.T, addr, method, name, message string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for header, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		if v != "" {
			r.Header.Set(header, v)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// F12: for a client, a hidden tool does not exist: over stdio and HTTP, in either era, it is not
// listed, calling it is calling an unknown tool, it is not suggested, and nothing runs.
func TestF12HiddenTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ledger := dir + "/ledger"
	graph := strings.ReplaceAll(hiding, "$LEDGER", ledger)
	entries := func() int {
		src, err := os.ReadFile(ledger)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(src), "\n")
	}
	for name, ask := range everyDoor(t, graph) {
		before := entries()
		if list := ask("tools/list", "", ""); !strings.Contains(list, `"name":"shown"`) || strings.Contains(list, "hidden") {
			t.Errorf("%s: the list is %s", name, list)
		}
		for _, tool := range []string{"hidden_step", "hidden_stepp"} {
			got := ask("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{}`, tool))
			if !strings.Contains(got, "-32602") || !strings.Contains(got, `unknown tool \"`+tool+`\"`) || strings.Contains(got, "mean") {
				t.Errorf("%s: a call of %s is answered %s", name, tool, got)
			}
		}
		if n := entries() - before; n != 0 {
			t.Errorf("%s: a client has made %d calls by a hidden tool", name, n)
		}
		if got := ask("tools/call", "shown", `"name":"shown","arguments":{}`); !strings.Contains(got, `"text":"2"`) || entries() != before+1 {
			t.Errorf("%s: the listed tool is answered %s, with %d calls", name, got, entries()-before)
		}
	}
}
