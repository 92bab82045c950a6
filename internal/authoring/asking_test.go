package authoring

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

const askingFile = `server: {name: g, version: 1.0.0}
mcpServers:
  fake: {command: FAKE, cwd: .}
tools:
  - name: tidy
    description: d
    allow: {effects: [read]}
    nodes:
      - {id: entry, type: entry, next: sure}
      - {id: sure, type: ask, message: Look, schema: {type: object, properties: {deep: {type: boolean}}, required: [deep]}, next: look}
      - {id: look, type: mcp, server: fake, tool: echo, args: {deep: {expr: $.sure.deep}}, confirm: true, next: exit}
      - {id: exit, type: exit}
`

// Mocks answer questions for the agent's tests too, and the lock says what calls do.
func TestGivenTestsAnswerQuestions(t *testing.T) {
	k := kit(t, askingFile)
	tests := func(mocks string) string {
		return k.answerTo(t, "testGraphTool", `{"tests":[{"tool":"tidy","args":{},"mocks":{`+mocks+`},"expect":{"value":1}}]}`)
	}
	if got := tests(`"look":{"result":1}`); !strings.Contains(got, `node \"sure\" asks \"Look\", but no mock answers it`) {
		t.Errorf("without an answer: %s", got)
	}
	const answered = `"sure":{"result":{"deep":true}},"look":{"result":1}`
	if got := tests(answered); !strings.Contains(got, "may not call fake.echo, whose effect is unknown") {
		t.Errorf("without a lock: %s", got)
	}
	path := lock.Path(k.opts.Graph)
	entry := lock.Pin(&config.Upstream{Name: config.Text{Value: "fake"}},
		mcpclient.Tool{Name: "echo", InputSchema: []byte(`{"type":"object"}`), Annotations: []byte(`{"readOnlyHint":true}`)}, nil)
	if err := lock.Of(path, entry).Write(path, files.NoLinks); err != nil {
		t.Fatal(err)
	}
	if got := tests(answered); !strings.Contains(got, `"passed":1`) {
		t.Errorf("with a lock: %s", got)
	}
}
