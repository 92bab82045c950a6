package lock

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/files"
	"toolgraph/mcpclient"
)

var _ flow.Upstreams = (*Lock)(nil)

// tool returns a definition that a server lists, given as JSON.
func tool(t testing.TB, src string) mcpclient.Tool {
	t.Helper()
	listed := mcpclient.Tool{Raw: json.RawMessage(src)}
	if err := json.Unmarshal([]byte(src), &listed); err != nil {
		t.Fatal(err)
	}
	return listed
}

func server(name, identity string) *config.Upstream {
	return &config.Upstream{Name: config.Text{Value: name}, Identity: identity}
}

func pin(t testing.TB, src string) Entry {
	t.Helper()
	return Pin(server("files", "npx files ."), tool(t, src), nil)
}

const listing = `{"name":"list","title":"List","description":"Lists a directory.",` +
	`"inputSchema":{"type":"object","required":["path"],"properties":{"path":{"type":"string","description":"Where."}}},` +
	`"outputSchema":{"type":"object","properties":{"count":{"type":"integer","maximum":9007199254740993}}},` +
	`"annotations":{"readOnlyHint":true},"_meta":{"x":1}}`

func TestPath(t *testing.T) {
	for file, want := range map[string]string{
		"graph.yaml": "graph.lock.yaml", "a/b.yml": "a/b.lock.yaml", "g.json": "g.lock.yaml", "a.b/graph": "a.b/graph.lock.yaml", "x.1": "x.1.lock.yaml",
	} {
		if got := Path(file); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}

// The same tools have the same bytes, in any order and in any notation of the server, and
// the file is read back.
func TestEncodeIsStable(t *testing.T) {
	const other = `{"name":"list","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"path":{"description":"Where.",` +
		` "type":"string"}},"required":["path"],"type":"object"},"description":"Lists a directory.","title":"List",` +
		`"outputSchema":{"properties":{"count":{"maximum":9007199254740993,"type":"integer"}},"type":"object"}}`
	read := Pin(server("files", "npx files ."), tool(t, `{"name":"read"}`), nil)
	first, second := Of("x/g.lock.yaml", pin(t, listing), read), Of("g.lock.yaml", read, pin(t, other))
	if !bytes.Equal(first.Encode(), second.Encode()) {
		t.Errorf("got\n%s\nand\n%s", first.Encode(), second.Encode())
	}
	path := filepath.Join(t.TempDir(), "g.lock.yaml")
	if err := first.Write(path, files.NoLinks); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Encode(), first.Encode()) || len(first.Compare(again)) != 0 {
		t.Errorf("read back:\n%s", again.Encode())
	}
	want := `# The upstream tools of the graph file, as their servers listed them when they were locked.
# Written by ` + "`toolgraph lock`" + `; commit it beside the graph, and do not edit it.
version: 2
servers:
  files:
    identity: npx files .
    tools:
      list:
        annotations:
          readOnlyHint: true
        description: Lists a directory.
        hash: "HASH"
        inputSchema:
          properties:
            path:
              description: Where.
              type: string
          required: [path]
          type: object
        outputSchema:
          properties:
            count:
              maximum: 9007199254740993
              type: integer
          type: object
        title: List
      read:
        hash: "HASH"
`
	for _, e := range first.Entries {
		want = strings.Replace(want, "HASH", e.Hash, 1)
	}
	if got := string(first.Encode()); got != want {
		t.Errorf("got\n%s", got)
	}
}

// Everything that can mislead a model or a person counts, and so does the server.
func TestHash(t *testing.T) {
	base := pin(t, listing)
	for name, change := range map[string][2]string{
		"name":        {`"name":"list"`, `"name":"lists"`},
		"title":       {`"title":"List"`, `"title":"Lists"`},
		"description": {`Lists a directory.`, "Lists a directory.\u200b"},
		"input":       {`"required":["path"]`, `"required":[]`},
		"in schema":   {`"Where."`, `"Where?"`},
		"output":      {`"integer"`, `"number"`},
		"digits":      {`9007199254740993`, `9007199254740992`},
		"annotations": {`"readOnlyHint":true`, `"readOnlyHint":false`},
		"left out":    {`"title":"List",`, ``},
		"wrong kind":  {`"title":"List"`, `"title":5`},
	} {
		src := strings.Replace(listing, change[0], change[1], 1)
		listed := mcpclient.Tool{Raw: json.RawMessage(src)}
		_ = json.Unmarshal([]byte(src), &listed) // as the client does: a wrong kind is left out
		if e := Pin(server("files", "npx files ."), listed, nil); e.Hash == base.Hash {
			t.Errorf("%s does not count", name)
		}
	}
	if e := pin(t, strings.Replace(listing, `"_meta":{"x":1}`, `"_meta":{"x":2},"icons":[]`, 1)); e.Hash != base.Hash {
		t.Error("what nobody reads counts")
	}
	if e := Pin(server("files", "npx other ."), tool(t, listing), nil); e.Hash == base.Hash {
		t.Error("the server does not count")
	}
	deep := `{"name":"list","inputSchema":` + strings.Repeat(`{"a":`, 1500) + "1" + strings.Repeat("}", 1501)
	if a, b := pin(t, deep), pin(t, strings.Replace(deep, ":1}", ":2}", 1)); a.Hash == b.Hash || a.Input != nil || !slices.Equal(a.Omitted, []string{inputSchema}) {
		t.Errorf("a schema that is too deep: %+v", a)
	}
}

func TestLockForChecks(t *testing.T) {
	e := pin(t, listing)
	l := Of("g.lock.yaml", e)
	known, ok := l.Tool("files", "list")
	if !ok || !bytes.Equal(known.InputSchema, e.Input) || !bytes.Equal(known.OutputSchema, e.Output) || !*known.ReadOnly || known.Learned || known.From != "g.lock.yaml" {
		t.Errorf("got %+v", known)
	}
	var none *Lock
	if _, ok := none.Tool("files", "list"); ok {
		t.Error("no lock knows a tool")
	}
	if _, ok := l.Tool("files", "read"); ok {
		t.Error("it knows a tool that it has not")
	}
	if h := HintsOf([]byte(`{"readOnlyHint":"yes"}`)); h != (Hints{}) {
		t.Errorf("annotations of a wrong kind say %+v", h)
	}
}

// A schema that is too large for the file is left out, and the tool is still pinned.
func TestLargeSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"bytes": `{"type":"object","x":"` + strings.Repeat("y", maxStored) + `"}`,
		"depth": strings.Repeat(`{"items":`, 70) + `true` + strings.Repeat(`}`, 70),
	} {
		e := pin(t, `{"name":"list","outputSchema":`+schema+`}`)
		if e.Output != nil || !slices.Equal(e.Omitted, []string{outputSchema}) {
			t.Errorf("%s: kept %.100s", name, e.Output)
		}
		path := filepath.Join(t.TempDir(), "g.lock.yaml")
		if err := Of(path, e).Write(path, files.NoLinks); err != nil {
			t.Fatal(err)
		}
		l, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := l.Entry("files", "list"); !slices.Equal(again.Omitted, e.Omitted) || again.Hash != e.Hash {
			t.Errorf("%s: read back as %+v", name, again)
		}
	}
}

// A key of any length is stored: the YAML reader has no limit of 1,024 characters for it.
func TestLongKeyOfASchema(t *testing.T) {
	e := pin(t, `{"name":"list","outputSchema":{"`+strings.Repeat("k", 2000)+`":1}}`)
	path := filepath.Join(t.TempDir(), "g.lock.yaml")
	if err := Of(path, e).Write(path, files.NoLinks); err != nil {
		t.Fatal(err)
	}
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := l.Entry("files", "list"); len(e.Omitted) > 0 || !bytes.Equal(again.Output, e.Output) || again.Hash != e.Hash {
		t.Errorf("read back as %+v", again)
	}
}

// Secrets in a definition are not stored.
func TestSecretsAreNotKept(t *testing.T) {
	secrets := config.NewSecrets("hunter-22", "12345678")
	e := Pin(server("files", "run ${KEY}"), tool(t, `{"name":"list","title":"hunter-22","description":"use hunter-22",`+
		`"inputSchema":{"type":"object","properties":{"hunter-22":{"const":"hunter-22","description":"aHVudGVyLTIy"},"n":{"default":12345678}}}}`), secrets)
	src := string(Of("g.lock.yaml", e).Encode())
	for _, secret := range []string{"hunter-22", "12345678", "aHVudGVyLTIy"} {
		if strings.Contains(src, secret) {
			t.Errorf("%s stands in\n%s", secret, src)
		}
	}
}
