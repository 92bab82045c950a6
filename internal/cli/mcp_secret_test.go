package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/program"
	"toolgraph/tests/testbin"
)

// A server may write the value of a variable into its definitions, which are shown without it.
func TestLiveDefinitionsShowNoSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("LIVE_TOKEN", secret)
	pulled := filepath.Join(t.TempDir(), "pulled")
	tools := `{"t` + secret + `": {"name": "t` + secret + `", "inputSchema": {"type": "object"}}, "inc": {"name": "inc", "title": "` + secret + `",
		"description": "with ` + secret + `", "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "default": "` + secret + `"}}},
		"outputSchema": {"type": "object", "properties": {"` + secret + `": {}}}, "annotations": {"title": "` + secret + `"}}}`
	entry, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"leak": map[string]any{
		"command": fake, "args": []string{"rugpull=" + pulled}, "env": map[string]string{"TOKEN": "${LIVE_TOKEN}"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{pulled: tools, filepath.Join(".toolgraph", "servers.json"): string(entry)} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"tools", "leak", "--live"}, program.ExitOK, "leak.t[redacted]"},
		{[]string{"tools", "--live", "--json"}, program.ExitOK, "t[redacted]"},
		{[]string{"info", "leak.inc", "--live"}, program.ExitOK, "with [redacted]"},
		{[]string{"info", "leak.inc", "--live", "--json"}, program.ExitOK, "with [redacted]"},
		{[]string{"info", "leak.tredacted", "--live"}, program.ExitUsage, `did you mean "t[redacted]"?`},
	} {
		var out, failed bytes.Buffer
		code := Run(t.Context(), append([]string{"mcp"}, c.args...), program.Streams{In: strings.NewReader(""), Out: &out, Err: &failed})
		if got := out.String() + failed.String(); code != c.code || !strings.Contains(got, c.want) || strings.Contains(got, secret) {
			t.Errorf("%v: exit code %d: %s", c.args, code, got)
		}
	}
}
