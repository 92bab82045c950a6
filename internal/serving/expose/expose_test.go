package expose_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/expose"
	"toolgraph/mcpclient"
)

const head = "server: {name: one, version: 1.0.0}\nmcpServers: {up: {command: x}, a: {command: x}, a__b: {command: x}, a.b: {command: x}, odd.name: {command: x}}\n"

func setOf(t *testing.T, file string) *expose.Set {
	t.Helper()
	p, err := project.Parse(t.Context(), "g.yaml", []byte(head+file), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Expose
}

// What people write by mistake is reported at its place, with what is expected and one remedy.
func TestW10MistakesInExpose(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"expose: true":                           `g.yaml:3:9: expose of the graph file is the value true, expected a list; write expose: ["SERVER.*"] for all tools of a server [wrong-type]`,
		"expose: 3":                              `g.yaml:3:9: expose of the graph file is the number 3, expected a list; write expose: ["SERVER.*"] for all tools of a server [wrong-type]`,
		"expose: up.echo":                        `g.yaml:3:9: expose of the graph file is text, expected a list; write expose: ["up.echo"] [wrong-type]`,
		"expose: up":                             `g.yaml:3:9: expose of the graph file is text, expected a list; write expose: ["SERVER.*"] for all tools of a server [wrong-type]`,
		"expose: {server: up}":                   `g.yaml:3:9: expose of the graph file is a mapping, expected a list; write expose: [{server: …}], a list [wrong-type]`,
		"expose: {up: [echo]}":                   `g.yaml:3:9: expose of the graph file is a mapping, expected a list; write expose: ["SERVER.*"] for all tools of a server [wrong-type]`,
		"expose: [true]":                         `g.yaml:3:10: expose has the value true in it, expected server.tool, or {server: NAME, prompts: true}; write "SERVER.TOOL", or "SERVER.*" for all tools of a server [wrong-type]`,
		"expose: [7]":                            `g.yaml:3:10: expose has the number 7 in it, expected server.tool`,
		"expose: [[up.echo]]":                    `g.yaml:3:10: expose has a list in it, expected server.tool`,
		"expose: [{up: echo}]":                   `g.yaml:3:10: expose has a mapping without server in it, expected server.tool, or {server: NAME, prompts: true}; write "up.TOOL" for a tool of it, or "up.*" for all [wrong-type]`,
		"expose: [{prompts: true}]":              `g.yaml:3:10: expose has no server; add server: … [missing-field]`,
		"expose: [{server: up}]":                 `g.yaml:3:10: expose passes on nothing of server "up", expected prompts: true or resources: true; add prompts: true or resources: true; tools of it are written "up.*" [missing-field]`,
		"expose: [{server: upp, prompts: true}]": `g.yaml:3:19: server of expose is "upp", which mcpServers does not have; did you mean "up"? [expose-tools]`,
		"expose: [{server: up, promts: true}]":   `g.yaml:3:23: unknown field "promts" of expose; did you mean "prompts"? [unknown-key]`,
		"expose: [up__echo]":                     `g.yaml:3:10: expose has "up__echo", which names a tool of no server of mcpServers, expected server.tool; did you mean "up.echo"? [expose-tools]`,
		`expose: ["*.x"]`:                        `g.yaml:3:10: expose has "*.x", where * is not at the end, expected server.tool; write one entry for each server, as in "SERVER.x" [expose-tools]`,
		"expose: [up.]":                          `g.yaml:3:10: expose has "up.", which has no tool after the dot, expected server.tool; write "up.*" for all tools of the server, or "up.TOOL" [expose-tools]`,
		"expose: [up]":                           `g.yaml:3:10: expose has "up", which has no tool, expected server.tool; write "up.*" for all tools of the server, or "up.TOOL" [expose-tools]`,
		"expose: [upp.echo]":                     `did you mean "up"? [expose-tools]`,
		"expose: [upp.echo]\nplan: true":         `did you mean "up"? [expose-tools]`,
		"expose: [nothing]":                      `write "SERVER.TOOL", or "SERVER.*" for all tools of a server [expose-tools]`,
		"expose: [a.b__x, a__b.x]":               `g.yaml:3:18: a__b.x has the name of a.b__x for clients, "a__b__x"; leave it out, or rename the server [name-taken]`,
		`expose: ["up.a b"]`:                     `g.yaml:3:10: the name "up__a b" of up.a b for clients has characters that some hosts reject, expected letters, digits, _ or -; leave it out, and call it in a tool of the file [bad-tool-name]`,
		"expose: [up.käse]":                      `[bad-tool-name]`,
		"expose: [odd.name.x]":                   `rename the server, or leave the tool out [bad-tool-name]`,
		"pipeline: {name: up__x, calls: [up.x]}\nexpose: [up.x]":                                                       `up.x has the name of another tool for clients, "up__x"; leave it out, or rename the server [name-taken]`,
		"expose: [{server: up, prompts: true}]\ntools: [{name: up__x, prompt: true, steps: [{id: x, expr: '\"a\"'}]}]": `g.yaml:4:16: prompt "up__x" begins with "up__", as all prompts of server "up" do for clients, so they may have its name; rename it [name-taken]`,
	} {
		_, err := project.Parse(t.Context(), "g.yaml", []byte(head+file), config.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\n%v\nwant %s", file, err, want)
		}
	}
}

// Of two tools with one name for clients one is listed, whichever server lists first: the one that the file names, else that
// of the first server.
func TestW10ANameHasOneOwner(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`expose: ["a.*", "a__b.*"]`: "a.b__x", `expose: ["a__b.*", "a.*"]`: "a.b__x", `expose: ["a.*", a__b.x]`: "a__b.x", `expose: [a.b__x, "a__b.*"]`: "a.b__x", `expose: ["a__b.*"]`: "a__b.x",
	} {
		s := setOf(t, file)
		var listed []string
		for _, tool := range [][2]string{{"a__b", "x"}, {"a", "b__x"}} {
			e, why, err := s.Tool(t.Context(), tool[0], &mcpclient.Tool{Name: tool[1]})
			if err != nil || e == nil && s.Permits(tool[0], tool[1]) && !strings.Contains(why, "has the name of "+want+" for clients") {
				t.Errorf("%s: %v %s %v", file, tool, why, err)
			}
			if e != nil {
				listed = append(listed, tool[0]+"."+tool[1])
			}
		}
		if len(listed) != 1 || listed[0] != want {
			t.Errorf("%s lists %v, want %s", file, listed, want)
		}
		g, err := s.Graph(t.Context(), "a__b__x")
		if err != nil || g.Calls()[0].Server+"."+g.Calls()[0].Tool != want {
			t.Errorf("%s: a run is one of %v, %v", file, g, err)
		}
	}
}

// Tools of a pattern that clients could not use are left out, each with a reason.
func TestW10ToolsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	s := setOf(t, `expose: ["up.*"]`+"\ntools: [{name: up__taken, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]")
	for raw, want := range map[string]string{
		`{"name":"a/b"}`:   "characters that some hosts reject",
		`{"name":"a.b"}`:   "characters that some hosts reject",
		`{"name":"a\nb"}`:  "characters that some hosts reject",
		`{"name":"taken"}`: "has the name of another tool",
		`{"name":"` + strings.Repeat("x", 61) + `"}`:                          "has 65 characters",
		`{"name":"big","description":"` + strings.Repeat("x", 1<<20+1) + `"}`: "at most 1048576 are listed",
	} {
		if e, why, err := s.Tool(t.Context(), "up", tool(t, raw)); e != nil || err != nil || !strings.HasPrefix(why, "left out: ") || !strings.Contains(why, want) {
			t.Errorf("%.60s: %v %.200s %v", raw, e, why, err)
		}
	}
	for raw, want := range map[string]string{
		`{"name":"may","execution":{"taskSupport":"optional"}}`:                                  "its inputSchema is not of type object",
		`{"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`: "",
		`{"name":"any","inputSchema":{"type":"object"}}`:                                         "",
	} {
		if e, why, err := s.Tool(t.Context(), "up", tool(t, raw)); e == nil || err != nil || !strings.HasPrefix(why, want) {
			t.Errorf("%s: %v %s %v", raw, e, why, err)
		}
	}
}

func tool(t *testing.T, raw string) *mcpclient.Tool {
	t.Helper()
	listed := &mcpclient.Tool{Raw: []byte(raw)}
	if err := json.Unmarshal([]byte(raw), listed); err != nil {
		t.Fatal(err)
	}
	return listed
}

// A schema that cannot be checked here is what clients see, as the server gives it; a value of a secret is in no part of a
// definition.
func TestDefinitionsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	p, err := project.Parse(context.Background(), "g.yaml", []byte("server: {name: one, version: 1.0.0}\nmcpServers: {up: {command: x, env: {TOKEN: \"${T}\"}}}\nexpose: [\"up.*\"]"),
		config.Options{LookupEnv: func(string) (string, bool) { return secret, true }})
	if err != nil {
		t.Fatal(err)
	}
	uncheckable := `{"type": "object", "properties": {"a": {"$ref": "https://example.com/x.json"}, "b": {"pattern": "(?<=x)y"}}}`
	e, why, err := p.Expose.Tool(t.Context(), "up", tool(t, `{"name":"odd","inputSchema":`+uncheckable+`,"outputSchema":`+uncheckable+`}`))
	compact := strings.ReplaceAll(uncheckable, ": ", ":")
	if err != nil || e == nil || string(e.Tool.InputJSON) != strings.ReplaceAll(compact, ", ", ",") || string(e.Tool.OutputJSON) != string(e.Tool.InputJSON) || !e.Typed || !strings.HasPrefix(why, "its server alone checks its arguments") {
		t.Errorf("%+v %s %v", e, why, err)
	}
	e, _, err = p.Expose.Tool(t.Context(), "up", tool(t, strings.ReplaceAll(`{"name":"a","title":"SECRET","description":"use SECRET","inputSchema":{"type":"object","properties":{"k":{"default":"SECRET"}}},
		"outputSchema":{"type":"object","description":"SECRET"},"annotations":{"title":"SECRET"},"icons":[{"src":"https://x/SECRET"}]}`, "SECRET", secret)))
	if err != nil || e == nil {
		t.Fatal(err)
	}
	d := e.Tool.Def
	for _, part := range []string{d.Title.Value, d.Description.Value, string(e.Tool.InputJSON), string(e.Tool.OutputJSON), string(d.Annotations.JSON()), string(d.Icons.JSON())} {
		if strings.Contains(part, secret) || !strings.Contains(part, "[redacted]") {
			t.Error(part)
		}
	}
}

// Of two servers with one URI the first of expose has it, and the log says so.
func TestAURIHasOneOwner(t *testing.T) {
	t.Parallel()
	p, err := project.Parse(t.Context(), "g.yaml", []byte(head+"expose: [{server: up, resources: true}, {server: a, resources: true}]"), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	both := expose.Listing{Resources: []json.RawMessage{[]byte(`{"uri":"doc:x","name":"x"}`)}}
	var why []string
	_, _, resources, _ := expose.Passed(p.File, map[string]expose.Listing{"a": both, "up": both}, func(server, text string) { why = append(why, server+": "+text) })
	if len(resources) != 1 || resources[0].Server != "up" || len(why) != 1 || why[0] != `a: resource doc:x is left out: it is that of server "up" for clients` {
		t.Errorf("%+v %q", resources, why)
	}
	for uri, want := range map[string]bool{"page:7": true, "page:": true, "pages:7": false, "xpage:7": false} {
		if expose.Matches("page:{number}", uri) != want {
			t.Errorf("%s: %v", uri, !want)
		}
	}
}
