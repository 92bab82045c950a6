package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// prompting has a prompt that is a tool, too, one that is a prompt only, and a tool that is none.
const prompting = `server: {name: p, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
vars: {languages: [Go, Rust, go-like]}
tools:
  - name: review
    title: A review
    description: Asks for a review.
    prompt: true
    result: text
    icons: [{src: "https://example.com/r.svg"}]
    _meta: {a: 1}
    inputSchema:
      type: object
      properties:
        language: {type: string, title: The language, description: Which one., suggest: {expr: $vars.languages}}
        times: {type: integer, default: 1}
        loud: {type: boolean}
        style: {enum: [short, long, 7], suggest: {expr: '$error("no style")'}}
        depth: {enum: [flat, deep, 3]}
        tool: {type: string, suggest: {expr: 'args.language = "Go" ? [args.language & "fmt", "vet", 5, null, {"a": 1}] : []'}}
        fixed: {type: string, suggest: [one, two, 3]}
      required: [language, times]
    steps:
      - {id: text, expr: '"Review " & args.language & " " & $string(args.times * 2) & (args.loud ? "!" : "")'}
  - name: only
    hidden: true
    prompt: true
    steps: [{id: x, expr: '"only"'}]
  - name: plain
    steps: [{id: x, expr: '"plain"'}]
  - name: fails
    prompt: true
    inputSchema: {type: object, properties: {why: {type: string}}}
    steps: [{id: x, expr: '$error("broken by " & args.why)'}]
`

// Clients of every transport and era get the tools with prompt: true as prompts. Arguments are texts, and are read by the
// schema; a run that fails is an error.
func TestPromptsOfTools(t *testing.T) {
	t.Parallel()
	for door, ask := range everyDoor(t, prompting) {
		for _, c := range []struct{ method, name, params, want string }{
			{"prompts/list", "", "", `"prompts":[{"name":"review","title":"A review","description":"Asks for a review.","arguments":[` +
				`{"name":"language","title":"The language","description":"Which one.","required":true},{"name":"times"},{"name":"loud"},{"name":"style"},{"name":"depth"},{"name":"tool"},{"name":"fixed"}],` +
				`"icons":[{"src":"https://example.com/r.svg"}]},{"name":"fails","arguments":[{"name":"why"}]},{"name":"only"}]`},
			{"prompts/get", "review", `"name":"review","arguments":{"language":"12","times":"4","loud":"true"}`,
				`"description":"Asks for a review.","messages":[{"role":"user","content":{"type":"text","text":"Review 12 8!"}}]`},
			{"prompts/get", "review", `"name":"review","arguments":{"language":"Go"}`, `"text":"Review Go 2"`},
			{"prompts/get", "only", `"name":"only"`, `"messages":[{"role":"user","content":{"type":"text","text":"only"}}]`},
			{"prompts/get", "review", `"name":"review"`, `"code":-32602,"message":"invalid arguments`},
			{"prompts/get", "review", `"name":"review","arguments":{"language":"Go","times":"many"}`, `"code":-32602,"message":"invalid arguments`},
			{"prompts/get", "review", `"name":"review","arguments":{"language":"Go","times":4}`, `"code":-32602,"message":"invalid arguments: \"times\" is no text`},
			{"prompts/get", "fails", `"name":"fails","arguments":{"why":"me"}`, `"code":-32603,"message":`},
			{"prompts/get", "fails", `"name":"fails","arguments":{"why":"me"}`, `broken by me`},
			{"prompts/get", "plain", `"name":"plain"`, `"code":-32602,"message":"unknown prompt \"plain\"`},
			{"prompts/get", "revew", `"name":"revew"`, `did you mean \"review\"?`},
			{"prompts/get", "", `"arguments":{}`, `"code":-32602,`},
			{"tools/call", "only", `"name":"only","arguments":{}`, `unknown tool \"only\"`},
			{"tools/call", "review", `"name":"review","arguments":{"language":"Go","times":2}`, `"content":[{"type":"text","text":"Review Go 4"}]`},
		} {
			if c.name == "" && c.method == "prompts/get" && door == "HTTP, modern" {
				continue // the header has the name
			}
			if got := ask(c.method, c.name, c.params); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s %s\n%s\nwant %s", door, c.method, c.params, got, c.want)
			}
		}
		got := ask("tools/list", "", "")
		if strings.Contains(got, "suggest") || strings.Contains(got, `"only"`) || !strings.Contains(got, `"review"`) || !strings.Contains(got, `"plain"`) {
			t.Errorf("%s: %s", door, got)
		}
	}
}

// A prompt of the file and those of a server are listed beside each other, and got from where they are.
func TestPromptsBesideThoseOfServers(t *testing.T) {
	t.Parallel()
	docs := filepath.Join(t.TempDir(), "docs")
	offered(t, docs, offersDocs)
	graph := `server: {name: one, version: 1.0.0}
mcpServers: {docs: {command: $FAKE, args: ["offers=` + docs + `"]}}
expose: [{server: docs, prompts: true}]
tools: [{name: docs_brief, prompt: true, steps: [{id: x, expr: '"own"'}]}]`
	for door, ask := range everyDoor(t, graph) {
		for _, c := range []struct{ method, name, params, want string }{
			{"prompts/list", "", "", `"prompts":[{"name":"docs_brief"},{"name":"docs__brief",`},
			{"prompts/get", "docs_brief", `"name":"docs_brief"`, `"text":"own"`},
			{"prompts/get", "docs__brief", `"name":"docs__brief","arguments":{"topic":"a"}`, `"content":{"text":"brief {\"topic\":\"a\"}","type":"text"}`},
		} {
			if got := ask(c.method, c.name, c.params); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s\n%s\nwant %s", door, c.method, got, c.want)
			}
		}
	}
}

// A file without prompt and suggest declares neither prompts nor completions.
func TestNothingIsDeclaredWithoutPrompts(t *testing.T) {
	t.Parallel()
	graph := `server: {name: p, version: 1.0.0}
tools: [{name: plain, inputSchema: {type: object, properties: {a: {enum: [b]}}}, steps: [{id: x, expr: '"plain"'}]}]`
	for door, ask := range everyDoor(t, graph) {
		method, params := "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
		if strings.Contains(door, "modern") {
			method, params = "server/discover", ""
		}
		if got := ask(method, "", params); strings.Contains(got, "prompts") || strings.Contains(got, "completions") || !strings.Contains(got, `"tools"`) {
			t.Errorf("%s: %s", door, got)
		}
		for _, c := range []struct{ method, name, params string }{
			{"prompts/list", "", ""}, {"prompts/get", "plain", `"name":"plain"`},
			{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"plain"},"argument":{"name":"a","value":""}`},
		} {
			if got := ask(c.method, c.name, c.params); !strings.Contains(got, "-32601") {
				t.Errorf("%s: %s: %s", door, c.method, got)
			}
		}
	}
}

// Clients are notified that the prompts have changed when the file has.
func TestPromptsFollowTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "graph.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	const head = "server: {name: p, version: 1.0.0}\ntools: [{name: NAME, prompt: true, hidden: true, steps: [{id: x, expr: '\"NAME\"'}]}]"
	write(strings.ReplaceAll(head, "NAME", "before"))
	s := startCommand(t, nil, "serve", "-g", file, "--watch")
	s.handshake()
	write(strings.ReplaceAll(head, "NAME", "after"))
	eventually(t, "a notification", func() bool { return s.said("notifications/prompts/list_changed") > 0 })
	if got := s.request("prompts/list", `{}`); !strings.Contains(string(got.Result), `{"prompts":[{"name":"after"}]`) {
		t.Errorf("%s", got.Result)
	}
	if got := s.request("prompts/get", `{"name":"after"}`); !strings.Contains(string(got.Result), `"text":"after"`) {
		t.Errorf("%s", got.Result)
	}
}

// decodedCompletion returns the values of an answer to completion/complete.
func decodedCompletion(t *testing.T, answer string) (values []string, total int, more bool) {
	t.Helper()
	if i := strings.Index(answer, "{"); i > 0 {
		answer = answer[i:] // an event of HTTP
	}
	var got struct {
		Result struct {
			Completion struct {
				Values  []string
				Total   int
				HasMore bool
			}
		}
		Error map[string]any
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Error != nil {
		t.Errorf("%v: %s", err, answer)
	}
	return got.Result.Completion.Values, got.Result.Completion.Total, got.Result.Completion.HasMore
}

// Arguments of prompts are completed: by suggest, else by what their schema lists.
func TestArgumentsOfPromptsAreCompleted(t *testing.T) {
	t.Parallel()
	for door, ask := range everyDoor(t, prompting) {
		for _, c := range []struct{ name, typed, context, want string }{
			{"language", "", "", "Go Rust go-like"},
			{"language", "g", "", "Go go-like"},
			{"loud", "", "", "true false"},
			{"loud", "T", "", "true"},
			{"depth", "", "", "flat deep 3"},
			{"style", "", "", ""}, // its expression fails
			{"tool", "", "", ""},
			{"tool", "", `,"context":{"arguments":{"language":"Go","tool":"x"}}`, "Gofmt vet 5"},
			{"tool", "", `,"context":{"arguments":{"language":"Rust"}}`, ""},
			{"tool", "", `,"context":{}`, ""},
			{"fixed", "", "", "one two 3"},
			{"times", "", "", ""},
		} {
			got := ask("completion/complete", "", `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"`+c.name+`","value":"`+c.typed+`"}`+c.context)
			values, total, more := decodedCompletion(t, got)
			if strings.Join(values, " ") != c.want || total != len(values) || more {
				t.Errorf("%s: %s %q %s: %s", door, c.name, c.typed, c.context, got)
			}
		}
		for _, c := range [][2]string{
			{`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"none","value":""}`, `"code":-32602,"message":"argument: prompt \"review\" has no argument \"none\"`},
			{`"ref":{"type":"ref/prompt","name":"plain"},"argument":{"name":"x","value":""}`, `"code":-32602,"message":"ref: names no prompt`},
			{`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"tool","value":""},"context":{"arguments":{"language":1}}`, `"code":-32602,"message":"invalid arguments: \"language\" is no text`},
		} {
			if got := ask("completion/complete", "", c[0]); !strings.Contains(got, c[1]) {
				t.Errorf("%s: %s\n%s", door, c[0], got)
			}
		}
	}
}

// An expression of suggest that fails gives no values, and the log says which; so does one that takes too much.
func TestSuggestThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	s := start(t, strings.NewReplacer(`$error("no style")`, `$string([1..9999999]) & $string([1..9999999])`).Replace(prompting))
	s.handshake()
	got := s.request("completion/complete", `{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"style","value":""}}`)
	if !strings.Contains(string(got.Result), `"completion":{"values":[],"total":0,"hasMore":false}`) {
		t.Errorf("%s", got.Result)
	}
	eventually(t, "a line in the log", func() bool {
		log := s.stderr.String()
		return strings.Contains(log, "suggest gives no values") && strings.Contains(log, "argument=style")
	})
}

// asking has a prompt that asks its user.
const askingPrompt = `server: {name: a, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
tools:
  - name: sure
    prompt: true
    inputSchema: {type: object, properties: {what: {type: string}}}
    nodes:
      - {id: entry, type: entry, next: ask}
      - {id: ask, type: ask, message: {expr: '"About " & $.entry.what & "?"'}, schema: {type: object, properties: {n: {type: integer}}, required: [n]}, next: text}
      - {id: text, type: transform, transform: {expr: '$.entry.what & " " & $string($.ask.n)'}, next: exit}
      - {id: exit, type: exit}
`

// A prompt asks its user: a client of 2026-07-28 gets the question, and gets the prompt again with the answer. The state of
// a prompt is not that of a call of the tool.
func TestAPromptAsks(t *testing.T) {
	t.Parallel()
	const can = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
	meta := strings.Replace(modernMeta, `"io.modelcontextprotocol/clientCapabilities":{}`, can, 1)
	if !strings.Contains(meta, can) {
		t.Fatal(modernMeta)
	}
	s := start(t, askingPrompt)
	var asked struct {
		ResultType    string
		InputRequests map[string]struct{ Params struct{ Message string } }
		RequestState  string
	}
	got := s.request("prompts/get", `{"name":"sure","arguments":{"what":"x"},`+meta+`}`)
	if err := json.Unmarshal(got.Result, &asked); err != nil || asked.ResultType != "input_required" || asked.InputRequests["ask"].Params.Message != "About x?" {
		t.Fatalf("%v %s", err, got.Result)
	}
	again := `{"name":"sure","arguments":{"what":"x"},"requestState":"` + asked.RequestState + `","inputResponses":{"ask":{"action":"accept","content":{"n":4}}},` + meta + `}`
	if got := s.request("tools/call", again); got.Error == nil || !strings.Contains(got.Error.Message, "requestState is unknown") {
		t.Errorf("a call takes the answer to a prompt: %s", got.Result)
	}
	if got := s.request("prompts/get", again); !strings.Contains(string(got.Result), `"messages":[{"role":"user","content":{"type":"text","text":"x 4"}}]`) {
		t.Errorf("%s %v", got.Result, got.Error)
	}
	if got := s.request("prompts/get", `{"name":"sure","arguments":{"what":"x"},`+modernMeta+`}`); got.Error == nil || got.Error.Code != -32021 {
		t.Errorf("%s %v", got.Result, got.Error)
	}
}

// A prompt reports its progress, is recorded as a run of its tool, and ends when its client cancels it.
func TestAPromptIsARun(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	file := filepath.Join(t.TempDir(), "graph.yaml")
	graph := strings.NewReplacer("$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver")).Replace(`server: {name: a, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
executionLimits: {maxCalls: 1}
tools:
  - {name: said, prompt: true, inputSchema: {type: object, properties: {text: {type: string}}}, steps: [{id: c, call: up.echo, args: {text: {expr: args.text}}}, {id: x, expr: '"said " & args.text'}]}
  - {name: twice, prompt: true, steps: [{id: c, call: up.echo, args: {text: a}}, {id: d, call: up.echo, args: {text: b}}, {id: x, expr: '"never"'}]}
`)
	if err := os.WriteFile(file, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(state, "audit.jsonl")
	s := startCommand(t, nil, "serve", "-g", file, "--state", state, "--audit", log)
	s.handshake()
	got := s.request("prompts/get", `{"name":"said","arguments":{"text":"a"},"_meta":{"progressToken":"p"}}`)
	if !strings.Contains(string(got.Result), `"text":"said a"`) || !strings.Contains(string(got.Result), `"toolgraph/run":{"id":"`) || s.said("notifications/progress") == 0 {
		t.Errorf("%s %v, %d notifications", got.Result, got.Error, s.said("notifications/progress"))
	}
	if got := s.request("prompts/get", `{"name":"twice"}`); got.Error == nil || !strings.Contains(got.Error.Message, "maxCalls") {
		t.Errorf("%s %v", got.Result, got.Error)
	}
	s.end()
	if src, err := os.ReadFile(log); err != nil || !strings.Contains(string(src), `"tool":"said"`) {
		t.Errorf("%v %s", err, src)
	}
}

// A prompt that its client cancels gets no answer, and its run is cancelled.
func TestACancelledPrompt(t *testing.T) {
	t.Parallel()
	g, state := newGate(t), t.TempDir()
	f := newGraphFile(t, strings.Replace(g.holding(""), "tools:\n", "tools:\n- {name: held, prompt: true, steps: [{id: a, call: up.hold, args: {n: 1}}, {id: x, expr: '\"never\"'}]}\n", 1))
	s := startCommand(t, nil, "serve", f.path, "--state", state)
	s.handshake()
	id, answer := s.send("prompts/get", `{"name":"held"}`)
	g.wait("in ", 1)
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	bin := testbin.Build(t, "toolgraph")
	eventually(t, "the run is cancelled", func() bool {
		return strings.Contains(output(t, bin, "runs", "list", "--state", state), "cancelled")
	})
	g.open()
	if s.request("ping", `{}`); len(answer) > 0 {
		t.Error("the cancelled request has an answer")
	}
}
