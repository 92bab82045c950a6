package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph/flow"
	"toolgraph/mcpclient"
)

var _ flow.Upstreams = (*Lock)(nil)

// tool is a definition as a server tells it, given as JSON.
func tool(t testing.TB, src string) mcpclient.Tool {
	t.Helper()
	told := mcpclient.Tool{Raw: json.RawMessage(src)}
	if err := json.Unmarshal([]byte(src), &told); err != nil {
		t.Fatal(err)
	}
	return told
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

// The same tools give the same bytes, in whatever order they come and however a server
// writes them; and what is written is read back.
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
	if err := first.Write(path); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Encode(), first.Encode()) || len(first.Compare(again)) != 0 {
		t.Errorf("read back:\n%s", again.Encode())
	}
	want := `# The upstream tools of the graph file, as their servers told them when they were locked.
# Written by ` + "`toolgraph lock`" + `; commit it beside the graph, and do not edit it.
version: 1
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

// Everything that can lead a model or a person counts, and so does whose tool it is.
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
		told := mcpclient.Tool{Raw: json.RawMessage(src)}
		_ = json.Unmarshal([]byte(src), &told) // as the client does: a wrong kind is left out
		if e := Pin(server("files", "npx files ."), told, nil); e.Hash == base.Hash {
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

// A schema that has no place in the file is left out, and the tool is pinned all the same.
func TestLargeSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"bytes": `{"type":"object","x":"` + strings.Repeat("y", keptMost) + `"}`,
		"depth": strings.Repeat(`{"items":`, 70) + `true` + strings.Repeat(`}`, 70),
		"key":   `{"` + strings.Repeat("k", 2000) + `":1}`,
	} {
		e := pin(t, `{"name":"list","outputSchema":`+schema+`}`)
		if e.Output != nil || !slices.Equal(e.Omitted, []string{outputSchema}) {
			t.Errorf("%s: kept %.100s", name, e.Output)
		}
		path := filepath.Join(t.TempDir(), "g.lock.yaml")
		if err := Of(path, e).Write(path); err != nil {
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

// What a server tells of our secrets is not kept.
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

func TestLoadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.lock.yaml")
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no lock gives %v", err)
	}
	good := string(Of(path, pin(t, listing)).Encode())
	for name, c := range map[string]struct{ was, is, want string }{
		"empty":    {good, "", "empty"},
		"list":     {good, "[1]\n", "the lock is no mapping"},
		"conflict": {"version: 1\n", "<<<<<<< HEAD\nversion: 1\n", "g.lock.yaml:"},
		"version":  {"version: 1", "version: 2", "3:10: the version of the lock is 2, expected 1"},
		"none":     {"version: 1\n", "", "the version of the lock is null, expected 1"},
		"key":      {"identity:", "identiti:", `server "files" has the unknown key "identiti"`},
		"hash":     {`hash: "sha256:`, `hash: "md5:`, `the hash of tool "list" of server "files" is "md5:`},
		"tools":    {"tools:\n", "tools: 5\nx:\n", "tools of server"},
		"text":     {"title: List", "title: [5]", `title of tool "list" of server "files" is no text`},
		"learned":  {"title: List", "learned: true", "is learned from no number of answers"},
	} {
		if !strings.Contains(good, c.was) {
			t.Fatalf("%s: %q is not in\n%s", name, c.was, good)
		}
		src := strings.Replace(good, c.was, c.is, 1)
		if name == "tools" {
			src = strings.Split(src, "x:\n")[0]
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		var found config.Diagnostics
		if _, err := Load(path); !errors.As(err, &found) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "g.lock.yaml")
	l := Of(link, pin(t, listing))
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	for range 2 {
		if err := l.Write(link); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(src, l.Encode()) {
		t.Errorf("written %s %v", src, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if info, err = os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
	if err := l.Write(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a directory gives %v", err)
	}
	var many []Entry
	for i := range 40 {
		e := pin(t, `{"name":"list","outputSchema":{"x":"`+strings.Repeat("y", keptMost-100)+`"}}`)
		e.Tool = strings.Repeat("t", i+1)
		many = append(many, e)
	}
	if err := Of(link, many...).Write(link); err == nil || !strings.Contains(err.Error(), "split the graph file") {
		t.Errorf("a lock that is too large gives %v", err)
	}
}

func FuzzPin(f *testing.F) {
	f.Add(listing)
	f.Add(`{"name":"a","description":"\u0000\ud800\u200b\u202e","inputSchema":{"<<":{},"":[[],{}],"a: b":" #"}}`)
	f.Add(`{"name":"a","inputSchema":5,"outputSchema":[null,1e400],"annotations":"x"}`)
	f.Fuzz(func(t *testing.T, src string) {
		told := mcpclient.Tool{Raw: json.RawMessage(src)}
		if _ = json.Unmarshal([]byte(src), &told); told.Name == "" || !json.Valid([]byte(src)) || len(told.Name) > 150 {
			return
		}
		e := Pin(server("files", "x"), told, nil)
		l := Of("g.lock.yaml", e)
		path := filepath.Join(t.TempDir(), "g.lock.yaml")
		if err := l.Write(path); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path)
		if err != nil || !bytes.Equal(again.Encode(), l.Encode()) || len(l.Compare(again)) != 0 {
			t.Fatalf("%v\n%s", err, l.Encode())
		}
		for _, e := range again.Entries {
			for _, schema := range [][]byte{e.Input, e.Output, e.Annotations} {
				if _, err := expressions.Decode(schema); schema != nil && err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
