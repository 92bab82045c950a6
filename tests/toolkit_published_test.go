package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// publishedServer is a file server as the guide of mcpGraph's toolkit has it: its
// list_directory gives one text.
const publishedServer = `server: {name: filesystem, version: 1.0.0}
tools:
  - name: list_directory
    description: Lists a directory.
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    outputSchema: {type: object, properties: {content: {type: string}}}
    nodes:
      - {id: entry, type: entry, next: list}
      - {id: list, type: transform, transform: {expr: '{"content": "[FILE] file1.txt\n[FILE] file2.txt\n[FILE] file3.txt\n"}'}, next: exit}
      - {id: exit, type: exit}
`

const publishedTool = `{"name":"count_files","description":"Counts files in a directory","inputSchema":{"type":"object",` +
	`"properties":{"directory":{"type":"string"}},"required":["directory"]},"outputSchema":{"type":"object","properties":{"count":{"type":"number"}}},` +
	`"nodes":[{"id":"entry","type":"entry","next":"list_directory_node"},` +
	`{"id":"list_directory_node","type":"mcp","server":"filesystem","tool":"list_directory","args":{"path":{"expr":"$.entry.directory"}},"next":"count_files_node"},` +
	`{"id":"count_files_node","type":"transform","transform":{"expr":"{ \"count\": $count($split($.list_directory_node.content, \"\\n\")) }"},"next":"exit"},` +
	`{"id":"exit","type":"exit"}]}`

// changing is what differs from run to run.
var changing = regexp.MustCompile(`"(startTime|endTime|timestamp|runId)":"[^"]*"|"(duration|executionTime)":[0-9.e-]+|in [0-9.]+ ms`)

const publishedHistory = `"executionHistory":[` +
	`{"executionIndex":0,"nodeId":"entry","nodeType":"entry",~,~,~,"output":{"directory":"/path/to/directory"}},` +
	`{"executionIndex":1,"nodeId":"list_directory_node","nodeType":"mcp",~,~,~,"output":{"content":"[FILE] file1.txt\n[FILE] file2.txt\n[FILE] file3.txt\n"}},` +
	`{"executionIndex":2,"nodeId":"count_files_node","nodeType":"transform",~,~,~,"output":{"count":4}},` +
	`{"executionIndex":3,"nodeId":"exit","nodeType":"exit",~,~,~,"output":{"count":4}}]`

const publishedLog = `"logging":[` +
	`{"level":"info","message":"run of count_files started",~},` +
	`{"level":"debug","message":"node entry (entry) finished ~",~},` +
	`{"level":"info","message":"node list_directory_node calls list_directory of server filesystem",~,"args":[{"path":"/path/to/directory"}]},` +
	`{"level":"debug","message":"node list_directory_node (mcp) finished ~",~},` +
	`{"level":"debug","message":"node count_files_node (transform) finished ~",~},` +
	`{"level":"debug","message":"node exit (exit) finished ~",~},` +
	`{"level":"info","message":"run finished",~}]`

const publishedPath = `"path":["entry","list_directory_node","count_files_node","exit"]`

// The conversation that the guide of mcpGraph's toolkit publishes runs as it is, and these
// are the answers, byte for byte but for times and ids.
func TestPublishedConversation(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, "server: {name: g, version: 1.0.0}\nmcpServers:\n  filesystem: {command: toolgraph, args: [-g, filesystem.yaml], cwd: .}\ntools: []\n")
	writeFile(t, filepath.Join(filepath.Dir(path), "filesystem.yaml"), publishedServer)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := startToolkit(t, path, allowAll...)
	run := `{"result":{"count":4},~,` + publishedPath + `,` + publishedLog + `,` + publishedHistory + `}`
	for _, c := range []struct{ tool, args, want string }{
		{"listGraphTools", `{}`, `{"items":[]}`},
		{"listMcpServerTools", `{"serverName":"filesystem"}`, `{"items":[{"name":"list_directory","description":"Lists a directory.","server":"filesystem","annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}]}`},
		{
			"testMcpTool", `{"server":"filesystem","tool":"list_directory","args":{"path":"/path/to/test/directory"}}`,
			`{"output":{"content":"[FILE] file1.txt\n[FILE] file2.txt\n[FILE] file3.txt\n"},~}`,
		},
		{
			"testJSONata", `{"expression":"{ \"count\": $count($split($.list_directory_node.content, \"\\n\")) }","context":{"list_directory_node":{"content":"[FILE] file1.txt\n[FILE] file2.txt\n[FILE] file3.txt\n"}}}`,
			`{"result":{"count":4},"reads":["list_directory_node.content"]}`,
		},
		{"runGraphTool", `{"toolDefinition":` + publishedTool + `,"arguments":{"directory":"/path/to/directory"},"logging":true}`, run},
		{"addGraphTool", `{"tool":` + publishedTool + `}`, `{"success":true,"message":"tool \"count_files\" added to DIR/graph.yaml; clients see it when their server serves the file as it is now: at once with --watch, else after it is started again, and with --locked after toolgraph lock"}`},
		{"runGraphTool", `{"toolName":"count_files","arguments":{"directory":"/path/to/directory"},"logging":true}`, run},
		{"runGraphTool", `{"toolName":"count_files","arguments":{"directory":"/path/to/directory"}}`, strings.Replace(run, publishedLog+",", "", 1)},
		{"deleteGraphTool", `{"toolName":"count_files"}`, `{"success":true,"message":"tool \"count_files\" deleted from DIR/graph.yaml"}`},
	} {
		r := s.call(c.tool, c.args)
		if got := strings.ReplaceAll(changing.ReplaceAllString(string(r.Structured), "~"), filepath.Dir(path), "DIR"); r.IsError || got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s\n%s", c.tool, got, c.want, r.text(t))
		}
	}
	fileIs(t, path, string(before))
}
