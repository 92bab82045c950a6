package bundle_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/interop/bundle"
)

// Tokens that no service has issued, joined here so that no scanner takes this file for a leak.
const (
	gitToken   = "ghp" + "_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
	modelToken = "sk-ant" + "-api03-abcdefghijklmnop1234"
	cloudKey   = "AKIA" + "IOSFODNN7EXAMPLE"
)

// findings returns the findings of a bundle of these files, of which graph.yaml is the graph.
func findings(t *testing.T, opts bundle.Options, files map[string]string) (found config.Diagnostics) {
	t.Helper()
	_, err := bundle.New(t.Context(), filepath.Join(write(t, files), "graph.yaml"), opts)
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	return found
}

// A secret that is written into a graph file is found by its name or its form, at its place, and is
// not part of the finding.
func TestWrittenSecrets(t *testing.T) {
	calls := func(args string) string {
		return strings.Replace(graph("mcpServers: {s: {command: npx}}\n"), "next: exit}", "next: c}, {id: c, type: mcp, server: s, tool: x, args: "+args+", next: exit}", 1)
	}
	command := func(rest string) string { return graph("mcpServers: {s: {command: npx, " + rest + "}}\n") }
	remote := func(rest string) string { return graph("mcpServers: {s: {type: streamableHttp, " + rest + "}}\n") }
	for text, c := range map[string]struct{ secrets, begins []string }{
		graph("vars: {api_key: " + gitToken + "}\n"):                                                                  {[]string{gitToken}, []string{gitToken}},
		graph("vars: {a: [{password: hunter2hunter2}]}\n"):                                                            {[]string{"hunter2"}, []string{"hunter2hunter2}"}},
		graph("vars: {p: hunter2hunter2}\nmcpServers: {s: {command: npx, env: {PW_TOKEN: \"${vars.p}\"}}}\n"):         {[]string{"hunter2"}, []string{`"${vars.p`}},
		remote("url: \"https://x.com/mcp\", headers: {X-Custom: " + gitToken + ", Cookie: session=abcdefabcdef1234}"): {[]string{gitToken, "abcdef"}, []string{gitToken, "session="}},
		remote("url: \"https://x.com/" + gitToken + "\""):                                                             {[]string{gitToken}, []string{`"https:`}},
		remote("url: \"https://u:${PW:-hunter2hunter2}@x.com/\""):                                                     {[]string{"hunter2"}, []string{`"https:`}},
		command("env: {ANTHROPIC: " + modelToken + ", AWS: " + cloudKey + ", PAT: hunter2hunter2}"):                   {[]string{modelToken, cloudKey, "hunter2"}, []string{modelToken, cloudKey, "hunter2"}},
		command("env: {TOKEN: \"${TOKEN:-fallbacksecret99}\"}"):                                                       {[]string{"fallbacksecret99"}, []string{`"${TOKEN`}},
		command("env: {X: \"a ${TOKEN:-fallbacksecret99}\"}"):                                                         {[]string{"fallbacksecret99"}, []string{`"a ${TOKEN`}},
		command("env: {X: \"${X:-" + gitToken + "}\"}"):                                                               {[]string{gitToken}, []string{`"${X`}},
		command("env: {X: \"${COOKIE:-fallbacksecret99}\"}"):                                                          {[]string{"fallbacksecret99"}, []string{`"${COOKIE`}},
		command("args: [" + gitToken + ", --pat, hunter2hunter2]"):                                                    {[]string{gitToken, "hunter2"}, []string{gitToken, "hunter2"}},
		calls("{password: hunter2hunter2}"):                                                                           {[]string{"hunter2"}, []string{"hunter2"}},
		calls("{password: {expr: '\"hunter2hunter2\"'}}"):                                                             {[]string{"hunter2"}, []string{`'"hunter2`}},
		calls("{a: {apiKey: [hunter2hunter2]}}"):                                                                      {[]string{"hunter2"}, []string{"hunter2"}},
		graph("") + "# " + gitToken + " and\n# ü " + modelToken + "\n":                                                {[]string{gitToken, modelToken}, []string{gitToken, modelToken}},
		strings.Replace(graph(""), "description: d", "description: see "+cloudKey, 1):                                 {[]string{cloudKey}, []string{cloudKey}},
	} {
		found := findings(t, bundle.Options{}, map[string]string{"graph.yaml": text})
		if len(found) != len(c.begins) {
			t.Errorf("%s\nhas %d findings, expected %d: %v", text, len(found), len(c.begins), found)
			continue
		}
		for i, d := range found {
			line := []rune(strings.Split(text, "\n")[d.Pos.Line-1])
			if at := string(line[d.Pos.Column-1:]); !strings.HasPrefix(at, c.begins[i]) {
				t.Errorf("a finding is at %s, expected %s", at, c.begins[i])
			}
			if d.Code != "not-portable" || !strings.Contains(d.Hint, "${NAME}") || filepath.Base(d.Pos.File) != "graph.yaml" {
				t.Errorf("%s: %+v", text, d)
			}
		}
		for _, secret := range c.secrets {
			if strings.Contains(fmt.Sprint(found), secret) {
				t.Errorf("a finding has the secret %s: %v", secret, found)
			}
		}
	}
}

// A token in another file of the bundle is found at its place; a binary file has none.
func TestTokensInFiles(t *testing.T) {
	const pem = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n"
	found := findings(t, bundle.Options{Include: []string{"data"}}, map[string]string{
		"graph.yaml":     graph("imports: {lib: ./lib/lib.yaml}\n"),
		"lib/lib.yaml":   graph("") + "# " + cloudKey + "\n",
		"data/notes.txt": "one\n  x=" + gitToken + "\n", "data/key.txt": "ab " + pem, "data/binary": "\x00" + gitToken,
	})
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%s:%d:%d", filepath.Base(d.Pos.File), d.Pos.Line, d.Pos.Column))
	}
	if got, want := strings.Join(got, " "), "key.txt:1:4 notes.txt:2:5 lib.yaml:4:3"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

// What only resembles a secret is packed: the examples, and names and hashes of these forms.
func TestNoSecrets(t *testing.T) {
	for name, text := range map[string]string{
		"references": graph("mcpServers: {s: {command: npx, args: [--token, \"${T}\", \"--pat=${PAT}\"], env: {A_TOKEN: \"${T:-}\", B: \"${R:-eu-central-1}\"}}}\n"),
		"names":      graph("vars: {key: summary-title, sortKey: created_at, sheet: 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms}\n"),
		"pinned":     graph("mcpServers: {s: {command: npx, args: [\"github:o/r#0123456789abcdef0123456789abcdef01234567\"]}}\n"),
		"texts":      graph("") + "# npm_config_registry sk-learn-something-like-this ghp_xxxxxxxxxxxxxxxxxxxx secret_name_of_the_thing_2\n# -----BEGIN PRIVATE KEY-----\n",
	} {
		if found := findings(t, bundle.Options{}, map[string]string{"graph.yaml": text}); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	examples, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatal(err, len(examples))
	}
	for _, example := range examples {
		if strings.HasSuffix(example, ".test.yaml") {
			continue
		}
		_, err := bundle.New(t.Context(), example, bundle.Options{AllowExec: true, Include: []string{"."}})
		if err != nil && (strings.Contains(err.Error(), "has a secret") || !strings.Contains(err.Error(), "not-portable")) {
			t.Error(err)
		}
	}
}
