package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

const linkSecret = "hunter2-hunter2"

// linking has tools that give clients the links of an upstream server of each era, of both, and of
// none.
const linking = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers:
  older: {command: $FAKE, args: ['diary=$DIARY', 'part=$SECRET'], env: {TOKEN: "${E2E_TOKEN}"}}
  newer: {command: $FAKE, args: ['diary=$DIARY', 'part=$SECRET', modern]}
tools:
  - name: older
    inputSchema: &input {type: object, properties: {uri: {type: string}}, required: [uri]}
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: links, args: {text: {expr: $.entry.uri}}, next: exit}
      - {id: exit, type: exit}
  - name: newer
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: newer, tool: links, args: {text: {expr: $.entry.uri}}, next: exit}
      - {id: exit, type: exit}
  - name: secretive
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: older, tool: links, args: {text: {expr: $.entry.uri}}, next: only}
      - {id: only, type: transform, transform: {expr: '"nothing"'}, next: exit}
      - {id: exit, type: exit}
  - name: invented
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: link}
      - {id: link, type: transform, transform: {expr: '{"type": "resource_link", "uri": $.entry.uri, "name": "x"}'}, next: exit}
      - {id: exit, type: exit}
  - name: stop
    nodes:
      - {id: entry, type: entry, next: die}
      - {id: die, type: mcp, server: older, tool: die, onError: {}, next: exit}
      - {id: exit, type: exit}
`

// linkGraph returns the graph and the diary of its servers.
func linkGraph(t *testing.T) (graph, diary string) {
	t.Helper()
	diary = filepath.Join(t.TempDir(), "diary")
	return strings.NewReplacer("$DIARY", diary, "$SECRET", linkSecret).Replace(linking), diary
}

func diaryHas(t *testing.T, diary, line string) int {
	t.Helper()
	src, err := os.ReadFile(diary)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(src), line+"\n")
}

// A resource that a result has linked is read from the server that named it, over each transport and
// in each era of both sides; nothing else is.
func TestLinkedResource(t *testing.T) {
	t.Parallel()
	graph, diary := linkGraph(t)
	for door, ask := range everyDoor(t, graph, "E2E_TOKEN="+linkSecret) {
		read := func(uri string) string { return ask("resources/read", uri, fmt.Sprintf(`"uri":%q`, uri)) }
		call := func(tool, uri string) {
			t.Helper()
			if got := ask("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{"uri":%q}`, tool, uri)); strings.Contains(got, "isError") {
				t.Errorf("%s: %s: %s", door, tool, got)
			}
		}
		refused := func(uri, why string) {
			t.Helper()
			code := "-32002"
			if strings.Contains(door, "modern") {
				code = "-32602"
			}
			if got := read(uri); !strings.Contains(got, `"code":`+code) || !strings.Contains(got, why) {
				t.Errorf("%s: %s is answered %s, expected %s", door, uri, got, why)
			}
		}
		const unnamed = "only resources that a result of this process has named can be read"
		for _, server := range []string{"older", "newer"} {
			uri := "doc:" + server + strings.ReplaceAll(door, ", ", "-")
			refused(uri, unnamed)
			call("secretive", uri) // which does not give the client what the server named
			refused(uri, unnamed)
			if n := diaryHas(t, diary, "read "+uri); n != 0 {
				t.Errorf("%s: %s was read %d times before a client had it", door, uri, n)
			}
			uri += "-given"
			call(server, uri)
			want := fmt.Sprintf(`"contents":[{"uri":%q,"mimeType":"text/plain","text":"about %s","_meta":{"a":2,"z":1}},{"uri":"%s/part","text":"[redacted]"}]`, uri, uri, uri)
			if got := read(uri); !strings.Contains(got, want) || strings.Contains(got, linkSecret) {
				t.Errorf("%s: got %s\nwant %s", door, got, want)
			}
			if n := diaryHas(t, diary, "read "+uri); n != 1 {
				t.Errorf("%s: %s was read %d times", door, uri, n)
			}
			refused(uri+"/part", unnamed) // nor does a content make its own URI readable

			call("invented", uri+"-invented")
			refused(uri+"-invented", unnamed)
			gone := "none:" + uri
			call(server, gone)
			refused(gone, "no such resource")
		}
		both := "doc:both" + door
		call("older", both)
		call("newer", both)
		refused(both, "was named by two servers")

		picture := "binary:a picture " + door
		call("newer", picture)
		if got := read(picture); !strings.Contains(got, `"blob":"YSBwaWN0dXJl`) {
			t.Errorf("%s: %s", door, got)
		}
		big := "big:8388609"
		call("older", big)
		if got := read(big); !strings.Contains(got, "the resource has 8388609 bytes, expected at most 8388608") || len(got) > 1000 {
			t.Errorf("%s: %.300s", door, got)
		}
		call("stop", "") // the server is started again
		if got := read("doc:older" + strings.ReplaceAll(door, ", ", "-") + "-given"); !strings.Contains(got, `"about doc:older`) {
			t.Errorf("%s: after a crash: %s", door, got)
		}
		list := ask("resources/list", "", "")
		if !strings.Contains(list, `"resources":[]`) {
			t.Errorf("%s: %s", door, list)
		}
	}
}

// A read that the client cancels is cancelled upstream, and the next one goes on.
func TestLinkedResourceIsCancelled(t *testing.T) {
	t.Parallel()
	graph, diary := linkGraph(t)
	s := start(t, graph, "E2E_TOKEN="+linkSecret)
	for _, server := range []string{"older", "newer"} {
		uri := "hold:" + server
		s.call(server, fmt.Sprintf(`{"uri":%q}`, uri))
		id, _ := s.send("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		eventually(t, "the server is asked", func() bool { return diaryHas(t, diary, "read "+uri) == 1 })
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		eventually(t, "the server hears of it", func() bool { return diaryHas(t, diary, "cancelled "+uri) == 1 })
	}
	s.request("ping", "{}")
}

// A binary resource with a secret is not sent: it cannot be redacted.
func TestLinkedResourceWithSecret(t *testing.T) {
	t.Parallel()
	graph, _ := linkGraph(t)
	s := start(t, graph, "E2E_TOKEN="+linkSecret)
	for uri, want := range map[string]string{
		"binarypart:a":         "the resource is binary and contains a secret",
		"binary:" + linkSecret: "only resources that a result of this process has named", // no client has this URI
	} {
		s.call("older", fmt.Sprintf(`{"uri":%q}`, uri))
		if got := s.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri)); got.Error == nil || !strings.Contains(got.Error.Message, want) || strings.Contains(got.Error.Message, linkSecret) {
			t.Errorf("%s: %+v", uri, got)
		}
	}
}

// The audit log has a read as a call, with the digest of its URI, and is verified.
func TestLinkedResourceIsAudited(t *testing.T) {
	t.Parallel()
	graph, _ := linkGraph(t)
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	f := newGraphFile(t, graph)
	s := startCommand(t, []string{"E2E_TOKEN=" + linkSecret}, "serve", f.path, "--audit", log, "--no-history")
	s.handshake()
	s.call("older", `{"uri":"doc:audited"}`)
	if got := s.request("resources/read", `{"uri":"doc:audited"}`); got.Error != nil {
		t.Fatal(got.Error)
	}
	s.request("resources/read", `{"uri":"doc:unknown"}`)
	s.end()
	src, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), `"tool":"resources/read","effect":"read"`); n != 2 || strings.Contains(string(src), "doc:audited") {
		t.Errorf("%d lines of reads: %s", n, src)
	}
	out, err := exec.Command(testbin.Build(t, "toolgraph"), "audit", log, "--json").Output()
	var report struct {
		OK    bool
		Calls map[string]int
	}
	if err != nil || json.Unmarshal(out, &report) != nil || !report.OK || report.Calls["read"] != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

// A file whose tools call no server advertises no resources, as before.
func TestNoResourcesWithoutCalls(t *testing.T) {
	t.Parallel()
	for door, ask := range everyDoor(t, detailed) {
		method, params := "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
		if strings.Contains(door, "modern") {
			method, params = "server/discover", ""
		}
		if got := ask(method, "", params); strings.Contains(got, "resources") || !strings.Contains(got, `"capabilities"`) {
			t.Errorf("%s: %s", door, got)
		}
		if got := ask("resources/read", "doc:x", `"uri":"doc:x"`); !strings.Contains(got, `"code":-32601`) {
			t.Errorf("%s: %s", door, got)
		}
	}
}

// A result that was too large is read by the same request as other resources.
func TestLinkedResult(t *testing.T) {
	t.Parallel()
	s := newSpillFile(t, t.TempDir()).serve()
	for era, params := range eras {
		r := s.callIn(era, "items", `{"n":100,"note":"`+resultSecret+`"}`)
		uri := r.Content[1].URI
		got := s.request("resources/read", fmt.Sprintf(`{"uri":%q%s}`, uri, params))
		if got.Error != nil || !strings.Contains(string(got.Result), `{\"items\":[{\"id\":0,`) || strings.Contains(string(got.Result), resultSecret) {
			t.Errorf("%s: %s: %.300s %v", era, uri, got.Result, got.Error)
		}
		got = s.request("resources/read", fmt.Sprintf(`{"uri":"run://NONE/result"%s}`, params))
		if got.Error == nil || !strings.Contains(got.Error.Message, "unknown result") {
			t.Errorf("%s: %.300s", era, got.Result)
		}
	}
}
