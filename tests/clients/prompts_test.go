package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolgraph/tests/testbin"
)

// prompt is one that the client gets, with an argument to complete.
type prompt struct {
	Name     string            `json:"name"`
	Args     map[string]string `json:"args"`
	Complete string            `json:"complete"`
}

// gotPrompt is what the client has got of it.
type gotPrompt struct {
	Listed []string `json:"listed"`
	Text   string   `json:"text"`
	Values []string `json:"values"`
	Thrown string   `json:"thrown"`
}

// The client of the TypeScript SDK lists a prompt, gets it, and completes an argument; it gets the message of a run that
// fails.
func TestPromptsThroughTheTypeScriptSDK(t *testing.T) {
	for _, sdk := range []struct {
		version  int
		packages string
	}{{1, sdkPackage}, {2, newerSDKPackage}} {
		t.Run(sdk.packages, func(t *testing.T) {
			modules := modules(t, sdk.packages)
			graph := filepath.Join(t.TempDir(), "graph.yaml")
			source := `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
  - name: review
    prompt: true
    inputSchema: {type: object, properties: {language: {type: string}, times: {type: integer}, tool: {type: string, suggest: {expr: '[args.language & "fmt", "vet"]'}}}}
    steps: [{id: text, expr: '"Review " & args.language & " " & $string(args.times + 1)'}]
`
			if err := os.WriteFile(graph, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			got := bySDK(t, modules, os.Environ(), job{
				Command: []string{testbin.Build(t, "toolgraph"), "-g", graph}, Directory: t.TempDir(), SDK: sdk.version,
				Prompts: []prompt{{"review", map[string]string{"language": "Go", "times": "4"}, "tool"}, {"review", map[string]string{"times": "many"}, "tool"}},
			})
			if p := got.Prompts[0]; !slices.Equal(p.Listed, []string{"review"}) || p.Text != "Review Go 5" || fmt.Sprint(p.Values) != "[Gofmt vet]" {
				t.Errorf("%+v", p)
			}
			if p := got.Prompts[1]; p.Thrown == "" {
				t.Errorf("%+v", p)
			}
		})
	}
}
