package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgraph/tests/testbin"
)

// spilling has tools with results that are too large, and one that is hidden. The note of their
// results is what the client has sent, and contains a secret.
const spilling = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxResultBytes: 65536}
mcpServers: {up: {command: $FAKE, args: ['diary=$DIARY'], env: {TOKEN: "${E2E_TOKEN}"}}}
tools:
  - name: items
    inputSchema: &input
      type: object
      properties: {n: {type: number}, note: {type: string}}
      required: [n, note]
    nodes: &nodes
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: up, tool: structured, args: {n: {expr: $.entry.n}, size: 1000}, next: all}
      - {id: all, type: transform, transform: {expr: '{"items": $.get.items, "note": $.entry.note}'}, next: exit}
      - {id: exit, type: exit}
  - {name: typed, inputSchema: *input, outputSchema: {type: object, properties: {items: {type: array}, note: {type: string}}}, nodes: *nodes}
  - {name: hidden_items, hidden: true, inputSchema: *input, nodes: *nodes}
  - name: lines
    inputSchema: *input
    result: text
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: up, tool: text, args: {text: {expr: '$.entry.note & $pad("", $.entry.n, "ö\n")'}}, next: exit}
      - {id: exit, type: exit}
  - name: pictures
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: up, tool: image, next: all}
      - {id: all, type: transform, transform: {expr: '[1..$.entry.n].($$.get[1])'}, next: exit}
      - {id: exit, type: exit}
  - name: broken
    inputSchema: *input
    nodes:
      - {id: entry, type: entry, next: get}
      - {id: get, type: mcp, server: up, tool: structured, args: {n: {expr: $.entry.n}, size: 1000}, next: all}
      - {id: all, type: transform, transform: {expr: '$error("no")'}, next: exit}
      - {id: exit, type: exit}
`

const (
	resultSecret = "hunter2-hunter2"
	noted        = `"note":"key ` + resultSecret + ` key"`
)

// spillFile writes the graph, and serves it with the state directory.
type spillFile struct {
	t                  *testing.T
	path, state, diary string
}

func newSpillFile(t *testing.T, state string) *spillFile {
	t.Helper()
	dir := t.TempDir()
	f := &spillFile{t: t, path: filepath.Join(dir, "graph.yaml"), state: state, diary: filepath.Join(dir, "diary")}
	src := strings.NewReplacer("$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"), "$DIARY", f.diary).Replace(spilling)
	if err := os.WriteFile(f.path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *spillFile) serve(flags ...string) *session {
	f.t.Helper()
	s := startCommand(f.t, []string{"E2E_TOKEN=" + resultSecret}, append([]string{"serve", f.path, "--state", f.state}, flags...)...)
	s.handshake()
	return s
}

// calls counts the calls that the server has answered.
func (f *spillFile) calls() int {
	src, err := os.ReadFile(f.diary)
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	return strings.Count(string(src), "done ")
}

// spilledResult is the result of a call as a client gets it.
type spilledResult struct {
	raw     string
	Content []struct {
		Type, Text, URI, Name, MimeType string
		Size                            int
	}
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool
	Meta       struct {
		Run *struct {
			ID                                                string
			Calls, BytesIn, BytesOut, DurationMs, TokensSaved int
		} `json:"toolgraph/run"`
		Server json.RawMessage `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// eras are what a request of each era has in its params.
var eras = map[string]string{"legacy": "", "modern": "," + modernMeta}

func (s *session) callIn(era, tool, args string) (r spilledResult) {
	s.t.Helper()
	answer := s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s%s}`, tool, args, eras[era]))
	if answer.Error != nil {
		s.t.Fatalf("%s: error %d: %s", tool, answer.Error.Code, answer.Error.Message)
	}
	r.raw = string(answer.Result)
	if err := json.Unmarshal(answer.Result, &r); err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(r.raw, "hunter2") {
		s.t.Errorf("%s: the answer has a secret", tool)
	}
	if (r.Meta.Server != nil) != (era == "modern") {
		s.t.Errorf("%s %s: _meta has the server %s", era, tool, r.Meta.Server)
	}
	return r
}

// isSummary checks that the result is a summary, and returns its link.
func (r spilledResult) isSummary(t *testing.T, tool string) (uri string) {
	t.Helper()
	if len(r.raw) > 4096 || len(r.Content) != 2 || r.Content[0].Type != "text" || r.Structured != nil {
		t.Fatalf("%s: got %d bytes: %.5000s", tool, len(r.raw), r.raw)
	}
	if n := utf8.RuneCountInString(r.Content[0].Text); n > 2000 {
		t.Errorf("%s: the summary has %d characters", tool, n)
	}
	link := r.Content[1]
	if link.Type != "resource_link" || link.MimeType != "application/json" || link.Size <= 65536 || link.Name != "result of "+tool {
		t.Errorf("%s: the link is %+v", tool, link)
	}
	run := r.Meta.Run
	if run == nil || run.Calls != 1 || link.URI != "run://"+run.ID+"/result" || !strings.Contains(r.Content[0].Text, link.URI) {
		t.Fatalf("%s: _meta and link are %+v %+v", tool, run, link)
	}
	if linked, _ := json.Marshal(link); run.BytesOut < len(r.Content[0].Text)+len(link.URI) || run.BytesOut > len(r.Content[0].Text)+2*len(linked) {
		t.Errorf("%s: bytesOut is %d, the text has %d", tool, run.BytesOut, len(r.Content[0].Text))
	}
	if want := max(0, run.BytesIn-run.BytesOut) / 4; run.TokensSaved != want {
		t.Errorf("%s: tokensSaved is %d, expected %d", tool, run.TokensSaved, want)
	}
	return link.URI
}

// F18: a result of 10 MB under maxResultBytes is answered with less than 4 KB, and read_result gives
// the parts that are asked for, without another call; what was redacted stays so. In each era, with
// the result in the history, and in memory because there is none, or because it is too large for it.
func TestF18LargeResult(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"recorded":   {"--history-max-value", "16MiB"},
		"too large":  nil,
		"no history": {"--no-history"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSpillFile(t, t.TempDir())
			s := f.serve(flags...)
			for era := range eras {
				before := f.calls()
				got := s.callIn(era, "items", `{"n":10000,`+noted+`}`)
				if in := got.Meta.Run.BytesIn; in < 10_000_000 {
					t.Errorf("%s: the result has %d bytes", era, in)
				}
				f.reads(s, era, got.isSummary(t, "items"), 10_000)
				typed := s.callIn(era, "typed", `{"n":100,`+noted+`}`)
				if !typed.IsError || !strings.HasPrefix(typed.Content[0].Text, "limit: ") || !strings.Contains(typed.Content[0].Text, "read_result") {
					t.Errorf("%s: with an outputSchema: %s", era, typed.raw)
				}
				f.reads(s, era, typed.isSummary(t, "typed"), 100)
				if n := f.calls() - before; n != 2 {
					t.Errorf("%s: the server has answered %d calls of two runs", era, n)
				}
			}
			if list := s.request("tools/list", `{}`); !strings.Contains(string(list.Result), `"name":"read_result"`) || !strings.Contains(string(list.Result), `"readOnlyHint":true`) {
				t.Errorf("the list is %s", list.Result)
			}
		})
	}
}

// reads takes parts of a result of so many items.
func (f *spillFile) reads(s *session, era, uri string, items int) {
	f.t.Helper()
	for _, c := range []struct{ args, want string }{
		{`"select":"$.items[0]"`, `{"id":0,"name":"item 0","size":0,"pad":"` + strings.Repeat("x", 950) + `"}`},
		{`"select":"$.items[-1].{\"id\": id, \"of\": $count($$.items)}"`, fmt.Sprintf(`{"id":%d,"of":%d}`, items-1, items)},
		{`"select":"$substring($.note, 4, 8) & $uppercase($substring($.note, 12)) & $contains($.note, \"hunter\")"`, `"[redacteD] KEYfalse"`},
		{`"select":"$.none"`, `nothing: select yields no value; $keys($) lists the keys of an object, and $count($) counts the items of a list`},
	} {
		got := s.callIn(era, "read_result", `{"uri":"`+uri+`",`+c.args+`}`)
		if got.IsError || len(got.Content) != 1 || got.Content[0].Text != c.want || got.Meta.Run != nil {
			f.t.Errorf("%s %s: got %.1200s, want %s", era, c.args, got.raw, c.want)
		}
	}
}

// Pages by offset and limit make up the whole JSON of a result, of a tool with result: text too;
// and characters are never cut.
func TestResultInPages(t *testing.T) {
	t.Parallel()
	f := newSpillFile(t, t.TempDir())
	s := f.serve()
	uri := s.callIn("modern", "lines", `{"n":100000,`+noted+`}`).isSummary(t, "lines")
	var whole strings.Builder
	for offset, pages := 0, 0; ; pages++ {
		got := s.callIn("modern", "read_result", fmt.Sprintf(`{"uri":%q,"offset":%d}`, uri, offset))
		if got.IsError || len(got.Content) != 2 || len(got.Content[0].Text) > 65536 || pages > 10 {
			t.Fatalf("%.300s", got.raw)
		}
		whole.WriteString(got.Content[0].Text)
		_, next, more := strings.Cut(got.Content[1].Text, "; next offset: ")
		if !more {
			break
		}
		if _, err := fmt.Sscan(next, &offset); err != nil || utf8.RuneCountInString(whole.String()) != offset {
			t.Fatalf("%s after %d characters", got.Content[1].Text, utf8.RuneCountInString(whole.String()))
		}
	}
	var text string
	if err := json.Unmarshal([]byte(whole.String()), &text); err != nil || text != "key [redacted] key"+strings.Repeat("ö\n", 50000) {
		t.Errorf("the pages have %d bytes: %v", whole.Len(), err)
	}
	part := s.callIn("legacy", "read_result", `{"uri":"`+uri+`","offset":5,"limit":10}`)
	if part.Content[0].Text != "[redacted]" || part.Content[1].Text != fmt.Sprintf("characters 5 to 15 of %d; next offset: 15", utf8.RuneCountInString(whole.String())) {
		t.Errorf("got %s", part.raw)
	}
	if behind := s.callIn("legacy", "read_result", `{"uri":"`+uri+`","offset":1e9}`); !behind.IsError || !strings.Contains(behind.raw, "use a smaller one") {
		t.Errorf("got %s", behind.raw)
	}
}

// A result that is MCP content is summarized as others are.
func TestLargeContent(t *testing.T) {
	t.Parallel()
	s := newSpillFile(t, t.TempDir()).serve()
	small := s.callIn("legacy", "pictures", `{"n":2,`+noted+`}`)
	if len(small.Content) != 2 || small.Content[0].Type != "image" {
		t.Errorf("got %s", small.raw)
	}
	uri := s.callIn("legacy", "pictures", `{"n":2000,`+noted+`}`).isSummary(t, "pictures")
	if got := s.callIn("legacy", "read_result", `{"uri":"`+uri+`","select":"$[1999].mimeType"}`); got.Content[0].Text != `"image/png"` {
		t.Errorf("got %s", got.raw)
	}
}

// F19: read_result does not know runs of another file, failed runs, runs of hidden tools, nor other
// forms of an id, and says the same of each; an expression without an end ends; and no limit gets
// more than the budget.
func TestF19ReadResult(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	other := newSpillFile(t, state)
	theirs := other.serve().callIn("legacy", "items", `{"n":100,`+noted+`}`).isSummary(t, "items")
	f := newSpillFile(t, state)
	s := f.serve()
	uri := s.callIn("legacy", "items", `{"n":100,`+noted+`}`).isSummary(t, "items")
	id := strings.TrimSuffix(strings.TrimPrefix(uri, "run://"), "/result")
	failed := s.callIn("legacy", "broken", `{"n":100,`+noted+`}`)
	if !failed.IsError || failed.Meta.Run == nil || failed.Meta.Run.Calls != 1 || failed.Meta.Run.BytesIn < 90_000 {
		t.Fatalf("a failed run is answered %s", failed.raw)
	}
	unspilled := s.callIn("legacy", "items", `{"n":1,`+noted+`}`)
	hiddenRun := f.run("hidden_items", "n=100", "note=x")
	own := f.run("items", "n=100", "note=x")
	for era := range eras {
		for what, unknown := range map[string]string{
			"a run of another file": theirs, "a failed run": "run://" + failed.Meta.Run.ID + "/result",
			"a result that was sent": "run://" + unspilled.Meta.Run.ID + "/result",
			"a hidden tool's run":    "run://" + hiddenRun + "/result", "the last run": "run://last/result",
			"the beginning of an id": "run://" + id[:5] + "/result", "a common beginning": "run:///result",
			"small letters": strings.ToLower(uri), "the id": id, "the run": "run://" + id, "a wildcard": "run://%/result",
			"upper case": "RUN://" + id + "/result", "a query": uri + "?", "a null": uri + "\\u0000", "spaces": " " + uri,
		} {
			got := s.callIn(era, "read_result", `{"uri":"`+unknown+`"}`)
			if !got.IsError || !strings.HasPrefix(got.Content[0].Text, "unknown result ") || !strings.Contains(got.Content[0].Text, "call the tool again") {
				t.Errorf("%s, %s: got %.500s", era, what, got.raw)
			}
		}
		endless := s.callIn(era, "read_result", `{"uri":"`+uri+`","select":"($f := function($x){$f($x + 1)}; $f(1))"}`)
		if !endless.IsError || !strings.Contains(endless.raw, "took longer than 2s") {
			t.Errorf("%s: an endless expression is answered %.500s", era, endless.raw)
		}
		for _, limit := range []string{"1e9", "9007199254740993000", "100000000000000000000000000000000000"} {
			got := s.callIn(era, "read_result", `{"uri":"`+uri+`","limit":`+limit+`}`)
			if got.IsError || len(got.Content) != 2 || len(got.Content[0].Text)+len(got.Content[1].Text) > 65536 || len(got.Content[0].Text) < 65000 {
				t.Errorf("%s, limit %s: got %d bytes: %.500s", era, limit, len(got.raw), got.raw)
			}
		}
		for args, want := range map[string]string{
			`"select":"$.items["`: "select: ", `"offset":-1`: "offset", `"limit":0`: "limit", `"select":""`: "select", `"selct":"$"`: "selct",
			`"select":"$error($.note)"`: "key [redacted] key",
		} {
			if got := s.callIn(era, "read_result", `{"uri":"`+uri+`",`+args+`}`); !got.IsError || !strings.Contains(got.raw, want) {
				t.Errorf("%s, %s: got %s", era, args, got.raw)
			}
		}
		if got := s.callIn(era, "read_result", `{"uri":"run://`+own+`/result","select":"$count($.items)"}`); got.Content[0].Text != "100" {
			t.Errorf("%s: a run of this file by another process is answered %s", era, got.raw)
		}
	}
}

// run runs a tool in a process of its own, and returns the id of the run.
func (f *spillFile) run(args ...string) (id string) {
	f.t.Helper()
	s := startProcess(f.t, []string{"E2E_TOKEN=" + resultSecret}, append([]string{"run", f.path, "--json", "--state", f.state}, args...)...)
	var used struct{ ID string }
	if err := json.Unmarshal([]byte(s), &used); err != nil || used.ID == "" {
		f.t.Fatalf("%v: standard error has %s", args, s)
	}
	return used.ID
}

// A recorded result is read after a restart; one that was in memory only is not, and the error says
// why. A run that was deleted is unknown.
func TestResultAfterRestart(t *testing.T) {
	t.Parallel()
	f := newSpillFile(t, t.TempDir())
	s := f.serve()
	recorded := s.callIn("legacy", "items", `{"n":100,`+noted+`}`).isSummary(t, "items")
	lost := s.callIn("legacy", "items", `{"n":10000,`+noted+`}`).isSummary(t, "items")
	s.end()
	s = f.serve()
	for era := range eras {
		got := s.callIn(era, "read_result", `{"uri":"`+recorded+`","select":"$.note & $count($.items)"}`)
		if got.Content[0].Text != `"key [redacted] key100"` {
			t.Errorf("%s: got %.500s", era, got.raw)
		}
		got = s.callIn(era, "read_result", `{"uri":"`+lost+`"}`)
		if !got.IsError || !strings.Contains(got.raw, "--history-max-value is 8388608") || !strings.Contains(got.raw, "call the tool again") {
			t.Errorf("%s: got %.500s", era, got.raw)
		}
	}
	id := strings.TrimSuffix(strings.TrimPrefix(recorded, "run://"), "/result")
	startProcess(t, nil, "runs", "rm", id, "--state", f.state)
	if got := s.callIn("legacy", "read_result", `{"uri":"`+recorded+`"}`); !got.IsError || !strings.Contains(got.raw, "unknown result") {
		t.Errorf("got %.500s", got.raw)
	}
}

// startProcess runs toolgraph to its end, which must be a success, and returns its standard error.
func startProcess(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &stderr)
	}
	return stderr.String()
}
