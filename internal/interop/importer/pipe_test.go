package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/project"
)

// The pipe that Context Pipe publishes.
func TestPipeGolden(t *testing.T) {
	t.Parallel()
	f := importedPipes(t, string(read(t, "web-research.json")))
	golden(t, "web-research.yaml", f.Graph)
	if len(f.Warnings) > 0 {
		t.Errorf("found warnings: %q", f.Warnings)
	}
}

// A file with everything that a pipe can have, and much that it cannot.
func TestPipesGolden(t *testing.T) {
	t.Parallel()
	global := &importer.Pipes{Path: "home.json", Src: []byte(`{
		"servers": {"programs": {"command": ["other"]}, "more": {"command": ["more"]}},
		"pipes": [{"name": "b", "nodes": [{"cmd": "never"}]}, {"name": "a_pipe", "nodes": [{"type": "mcp", "server": "more", "tool": "in"}]}]}`)}
	f, err := importer.ContextPipe(importer.Pipes{Path: "all.json", Src: read(t, "all.json")}, global)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "all.yaml", f.Graph)
	want := `all.json:16: args has the key "content", so that the node does not get what the node before it gives, as in Context Pipe`
	if len(f.Warnings) != 1 || f.Warnings[0] != want {
		t.Errorf("got the warnings %q", f.Warnings)
	}
	if _, err := project.Parse(t.Context(), "all.yaml", f.Graph, config.Options{AssumeEnv: true}); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(f.Graph), "abc-secret") {
		t.Error("a secret of the file was copied")
	}
}

func TestHostilePipes(t *testing.T) {
	t.Parallel()
	one := `{"pipes":[{"name":"p","nodes":[%s]}]}`
	for name, c := range map[string]struct{ src, want string }{
		"empty":                  {"", "p.json:1:1: "},
		"a list":                 {"[]", "p.json:1:1: expected an object with pipes"},
		"something else":         {`{"mcpServers":{}}`, "p.json:1:1: found no pipes and no servers"},
		"no pipes":               {`{"pipes":[]}`, "p.json:1:1: the file has no pipes"},
		"pipes of an object":     {"{\n\"pipes\":{}}", "p.json:2:9: pipes is not a list"},
		"servers of a list":      {`{"servers":[],"pipes":[]}`, "servers is not an object"},
		"a pipe of text":         {`{"pipes":["p"]}`, "p.json:1:11: a pipe is not an object"},
		"no name":                {`{"pipes":[{"nodes":[]}]}`, "a pipe has no name"},
		"no nodes":               {`{"pipes":[{"name":"p","nodes":[]}]}`, `the pipe "p" has no list of nodes`},
		"a pipe twice":           {`{"pipes":[{"name":"p","nodes":[{"cmd":"x"}]},{"name":"p","nodes":[{"cmd":"x"}]}]}`, `the pipe "p" is there twice`},
		"a node of text":         {fmt.Sprintf(one, `"x"`), "a node is not an object"},
		"no cmd":                 {fmt.Sprintf(one, `{}`), `a node of type "binary" has no cmd`},
		"args of an object":      {fmt.Sprintf(one, `{"cmd":"x","args":{}}`), `args of "x" is not a list of texts`},
		"args of lists":          {fmt.Sprintf(one, `{"cmd":"x","args":[[]]}`), `args of "x" has an item that is not text`},
		"an unknown server":      {fmt.Sprintf(one, `{"type":"mcp","server":"s","tool":"t"}`), `server "s" is not in servers`},
		"no tool":                {fmt.Sprintf(one, `{"type":"mcp","server":"s"}`), "a node of type mcp has no server or no tool"},
		"a timeout of text":      {fmt.Sprintf(one, `{"cmd":"x","timeout":"1"}`), "timeout is not a number of seconds"},
		"vars of a list":         {`{"pipes":[{"name":"p","vars":[1],"nodes":[{"cmd":"x"}]}]}`, `vars of the pipe "p" is not an object`},
		"a server of a number":   {`{"servers":{"s":1},"pipes":[]}`, `server "s" is not an object`},
		"a server of no command": {`{"servers":{"s":{"command":[]}},"pipes":[]}`, `server "s" has no command`},
		"env of a list":          {`{"servers":{"s":{"command":"x","env":[1]}},"pipes":[]}`, `env of server "s" is not an object`},
		"a key twice":            {`{"pipes":[],"pipes":[]}`, "duplicate key"},
		"too deep":               {strings.Repeat(`{"pipes":`, 5000), "p.json:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := importer.ContextPipe(importer.Pipes{Path: "p.json", Src: []byte(c.src)}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func FuzzContextPipe(f *testing.F) {
	for _, name := range []string{"web-research.json", "all.json"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := importer.ContextPipe(importer.Pipes{Path: "p.json", Src: src}, &importer.Pipes{Path: "q.json", Src: []byte(`{"pipes":[]}`)})
		if err != nil {
			return
		}
		if _, err := config.ParseData("graph.yaml", file.Graph); err != nil {
			t.Errorf("the graph cannot be read: %v\n%s", err, file.Graph)
		}
	})
}

func importedPipes(t *testing.T, src string) *importer.File {
	t.Helper()
	f, err := importer.ContextPipe(importer.Pipes{Path: "web-research.json", Src: []byte(src)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
