package hostconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// several is a file of a host with entries of some servers, written by Put.
func several(t *testing.T, h *Host, names ...string) []byte {
	t.Helper()
	var src []byte
	for i, name := range names {
		l := launch()
		l.Name, l.Command, l.Args = name, "/opt/bin/"+name, []string{"--port", fmt.Sprint(i)}
		l.Variables, l.Optional, l.Env = nil, nil, []Setting{{"LEVEL_" + strings.ToUpper(name), "high"}}
		var err error
		if src, _, err = h.Put("f", src, l); err != nil {
			t.Fatal(err)
		}
	}
	return src
}

// For each host: one entry takes the place of some, all else stays, and each order of what is taken gives the same back.
func TestSwapAndRestore(t *testing.T) {
	for i := range hosts {
		h := &hosts[i]
		t.Run(h.Name, func(t *testing.T) {
			before := several(t, h, "one", "two", "three", "four")
			for _, names := range [][]string{{"one"}, {"four"}, {"two", "three"}, {"three", "four"}, {"one", "two"}, {"four", "one"}, {"one", "two", "three", "four"}} {
				l := launch()
				l.Variables, l.Env = nil, []Setting{{"TOKEN", "s3cret"}}
				swapped, err := h.Swap("f", before, l, names)
				if err != nil {
					t.Fatalf("%v: %v\n%s", names, err, before)
				}
				has, err := h.Names("f", swapped)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.DeleteFunc([]string{"one", "two", "three", "four", l.Name}, func(name string) bool { return slices.Contains(names, name) })
				if slices.Sort(has); !slices.Equal(has, slices.Sorted(slices.Values(want))) {
					t.Errorf("without %v: %v\n%s", names, has, swapped)
				}
				command, args, env, err := h.Program("f", swapped, l.Name)
				if err != nil || command != l.Command || !slices.Equal(args, l.Args) || !slices.Contains(env, Setting{"TOKEN", "s3cret"}) {
					t.Errorf("%s %v %v %v\n%s", command, args, env, err, swapped)
				}
				back, err := h.Restore("f", swapped, before, l.Name, names)
				if err != nil {
					t.Fatal(err)
				}
				same, err := h.SameEntries("f", back, before, []string{"one", "two", "three", "four", l.Name})
				if err != nil || !same {
					t.Errorf("%v: %v\n%s\nbefore:\n%s", names, err, back, before)
				}
			}
		})
	}
}

// What is not of the entries stays byte for byte, comments between them included.
func TestSwapKeepsTheRest(t *testing.T) {
	for host, c := range map[string]struct{ src, want string }{
		"vscode": {
			"{\n  // mine\n  \"servers\": {\n    \"a\": {\"command\": \"x\"}, // of a\n    \"b\": {\"command\": \"y\"},\n    /* of c */\n    \"c\": {\n      \"command\": \"z\" // here\n    }\n  },\n  \"other\": [1,2 , 3]\n}\n",
			"{\n  // mine\n  \"servers\": {\n     // of a\n    /* of c */\n    \"c\": {\n      \"command\": \"z\" // here\n    },\n    \"new\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/bin/toolgraph\",\n      \"args\": [\n        \"-g\",\n        \"g.yaml\"\n      ]\n    }\n  },\n  \"other\": [1,2 , 3]\n}\n",
		},
		"codex": {
			"# top\nmodel = \"o\"\n\n# of a\n[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nK = \"1\"\n\n[mcp_servers.b]\ncommand = \"y\" # b\n\n[mcp_servers.c]\ncommand = \"z\"\n\n[other]\nx = 1\n",
			"# top\nmodel = \"o\"\n\n# of a\n\n\n[mcp_servers.c]\ncommand = \"z\"\n\n[other]\nx = 1\n\n[mcp_servers.new]\ncommand = \"/opt/bin/toolgraph\"\nargs = [\"-g\", \"g.yaml\"]\n",
		},
		"goose": {
			"# top\nGOOSE_MODEL: o\nextensions:\n  a:\n    cmd: x\n    type: stdio\n  # of b\n  b:\n    cmd: y\n    envs:\n      K: \"1\"\n  c:\n    cmd: z # here\nother: 1\n",
			"# top\nGOOSE_MODEL: o\nextensions:\n  new:\n    enabled: true\n    type: stdio\n    name: new\n    description: Count files\n    cmd: /opt/bin/toolgraph\n    args: [\"-g\", g.yaml]\n  # of b\n  c:\n    cmd: z # here\nother: 1\n",
		},
	} {
		got, err := Find(host).Swap("f", []byte(c.src), short(), []string{"b", "a"})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", host, err, got, c.want)
		}
	}
}
