package importer_test

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
)

// Literal secrets are not copied, wherever a pipe has them: variables take their place.
func TestSecretsOfPipesAreNotWritten(t *testing.T) {
	t.Parallel()
	f := importedPipes(t, `{
		"servers": {"s": {"command": ["npx", "x", "--token=hidden-1", "--api-key", "hidden-2", "--key=${KEPT}"],
			"env": {"C": "x-ghp_hidden3hidden3hidden3", "MODE": "fast"}}},
		"pipes": [{"name": "p", "vars": {"V": "sk-hidden4-1234567890"}, "retry": {"password": "hidden-5"}, "nodes": [
			{"type": "mcp", "server": "s", "tool": "t", "args": {"token": "sk-hidden6-1234567", "deep": {"auth": {"value": "hidden-7"}},
				"list": ["ghp_hidden8hidden8hidden8"], "whole": {"expr": "1", "secret": "hidden-9"}, "max_tokens": 4096, "own_key": "${V}", "q": "plain"}},
			{"cmd": "curl", "args": ["-H", "Authorization: Bearer hidden-10", "--password", "hidden-11", "${V}"]}]}]}`)
	text := string(f.Graph)
	if strings.Contains(text, "hidden") {
		t.Errorf("a secret was copied:\n%s", text)
	}
	for _, want := range []string{
		"token: {expr: $vars.token}", "# TODO: the value was a secret, which is not copied; give it with --var token=TEXT.",
		"value: {expr: $vars.deep_auth_value}", "max_tokens: 4096", "own_key: {expr: $vars.V}", "q: plain", "MODE: fast",
		"--token=${S_TOKEN}", "--key=${KEPT}", "Authorization: ${vars.Authorization}", "env: {V: \"${vars.V}\"}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if _, err := project.Parse(t.Context(), "graph.yaml", f.Graph, config.Options{AssumeEnv: true}); err != nil {
		t.Error(err)
	}
}
