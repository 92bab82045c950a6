package checks

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// X16: tools that pipeline.calls names and that the server does not have.
func TestX16PipelineCalls(t *testing.T) {
	const file = `server: {name: g, version: 1.0.0}
pipeline: {calls: [%s]}
mcpServers: {files: {command: files-server}, run: {type: exec, tools: {sift: {command: [sift]}}}}
tools: [{name: t, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]
`
	var listed []mcpclient.Tool
	for _, name := range []string{"read_text_file", "list_directory"} {
		listed = append(listed, mcpclient.Tool{Name: name, Raw: json.RawMessage(`{"name":"` + name + `"}`)})
	}
	for calls, want := range map[string]string{
		"files.read_text_file": "", "files.*": "", "files.list*": "", `"*"`: "",
		"files.read_txt_file": `calls of the pipeline has "files.read_txt_file", which names no tool of server "files"; did you mean "read_text_file"? [pipeline-tools]`,
		"files.write*":        `calls of the pipeline has "files.write*", which names no tool of server "files" [pipeline-tools]`,
		"run.sift":            "",
		"run.shift":           `calls of the pipeline has "run.shift", which names no tool of server "run"; did you mean "sift"? [pipeline-tools]`,
	} {
		opts := config.Options{ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
		c, err := Text(t.Context(), "graph.yaml", fmt.Appendf(nil, file, calls), opts, Beside{Listed: map[string][]mcpclient.Tool{"files": listed}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(c.Found.Error(), "graph.yaml:2:20: ")
		if got != want {
			t.Errorf("%s: %s\nwant %s", calls, got, want)
		}
	}
	parsed, err := config.Parse("graph.yaml", fmt.Appendf(nil, file, "files.read_txt_file, files.list*, files.write*"), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{Name: "graph.lock.yaml", Entries: []lock.Entry{{Server: "files", Tool: "read_text_file"}, {Server: "files", Tool: "list_directory"}}}
	want := `graph.yaml:2:20: warning: calls of the pipeline has "files.read_txt_file", which names no tool of server "files" in graph.lock.yaml; did you mean "read_text_file"? [pipeline-tools]
graph.yaml:2:54: warning: calls of the pipeline has "files.write*", which names no tool of server "files" in graph.lock.yaml; run: toolgraph lock graph.yaml [pipeline-tools]`
	if got := Requests(parsed, l, nil).Error(); got != want {
		t.Errorf("with a lock: %s\nwant %s", got, want)
	}
	if got := Requests(parsed, nil, nil); len(got) > 0 {
		t.Errorf("nothing is known, and found %v", got)
	}
}
