package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// modelHost is a host whose model can be another endpoint.
type modelHost struct {
	name, pack string
	file       string // below the home directory
	settings   string // the host's file: $COMMAND is the server's, $MODEL the address of the endpoint
	prefix     string // of the tools of the one entry, for the model
	session    []string
	env        []string
}

var modelHosts = []modelHost{
	{
		"gemini", geminiPackage, filepath.Join(".gemini", "settings.json"), `{
  // The key is in the environment.
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "mcpServers": {
    "up": {"command": $PROGRAM, "args": $ARGS, "env": {"JOBS_TOKEN": "hunter2-hunter2"}} // of the team
  }
}
`, "mcp_toolgraph_",
		[]string{"gemini", "--prompt", "do the jobs", "--output-format", "json", "--model", "gemini-2.5-flash", "--approval-mode", "yolo"},
		[]string{"GEMINI_API_KEY=scripted", "GOOGLE_GEMINI_BASE_URL=$MODEL"},
	},
	{
		"opencode", opencodePackage, filepath.Join("xdg", "config", "opencode", "opencode.json"), `{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "local": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "$MODEL/v1", "apiKey": "scripted"}, "models": {"scripted": {}}}
  },
  "small_model": "local/scripted",
  "mcp": {
    "up": {"type": "local", "command": $LINE, "environment": {"JOBS_TOKEN": "hunter2-hunter2"}} // of the team
  }
}
`, "toolgraph_",
		[]string{"opencode", "run", "--model", "local/scripted", "do the jobs"},
		[]string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"},
	},
}

// The models of Gemini CLI and opencode, with their servers adopted, search and run plans as that of Claude Code does. Both hosts cannot
// ask their user, so what writes is refused. Undone, their files are what they were, byte for byte.
func TestPlansOfAdoptedHosts(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, geminiPackage, opencodePackage, newerNodePackage)
	for _, host := range modelHosts {
		t.Run(host.name, func(t *testing.T) {
			h, p, m := newHostHome(t, s, modules), newPlanning(t), newHostModel(t, planCalls())
			encode := func(v any) string {
				raw, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			up := []string{testbin.Build(t, "toolgraph/tests/fakeserver"), "diary=" + p.diary, "rugpull=" + filepath.Join(filepath.Dir(p.diary), "tools.json")}
			fill := strings.NewReplacer("$MODEL", m.URL, "$PROGRAM", encode(up[0]), "$ARGS", encode(up[1:]), "$LINE", encode(up))
			path, before := filepath.Join(filepath.Dir(h.project), host.file), fill.Replace(host.settings)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			h.run(s.binary, "adopt", host.name, "--yes")
			for _, setting := range host.env {
				h.env = append(h.env, fill.Replace(setting))
			}
			session := slices.Clone(host.session)
			session[0] = filepath.Join(modules, ".bin", session[0])
			if out := h.run(session...); !strings.Contains(out, "done") || strings.Contains(out, intermediate) {
				t.Errorf("the session prints %s", out)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			own := slices.DeleteFunc(slices.Clone(m.tools), func(name string) bool { return !strings.HasPrefix(name, host.prefix) })
			if slices.Sort(own); !slices.Equal(own, []string{host.prefix + "run_plan", host.prefix + "search_tools"}) {
				t.Errorf("the model has the tools %q", m.tools)
			}
			p.check(t, outcomes[""], m.given, nil)
			if strings.Contains(m.heard, intermediate) || strings.Contains(m.heard, "hunter2") {
				t.Error("what passes between the steps, or a secret, is in the context of the model")
			}
			h.run(s.binary, "adopt", host.name, "--undo")
			if now, err := os.ReadFile(path); err != nil || string(now) != before {
				t.Errorf("undone: %v\n%s\nbefore:\n%s", err, now, before)
			}
		})
	}
}
