package completion

import (
	"slices"
	"strings"
	"testing"

	"toolgraph/internal/authoring/graphtest"
)

// testFile has tests of the graph file of the other tests.
const testFile = `mocks:
  files.read_file: {result: text}
tests:
  - name: small
    tool: digest
    args: {directory: /tmp}
    vars: {top: 1}
    mocks:
      list:
        when: {path: /tmp}
        result: {entries: [], total: 0}
    expect:
      value: []
      path: [entry, list]
      calls:
        - {node: list, args: {path: /tmp}}
      nodes: {list: {total: 0}}
    cases:
      - name: other
        args: {deep: true}
`

// Candidates of a test file: keys of its schema, names and arguments of the graph file that it tests.
func TestCandidatesOfTests(t *testing.T) {
	known := knownOf(t, file).As(TestFile, graphtest.Schema())
	for name, c := range map[string]struct{ old, new, want, not string }{
		"a key of the file":         {"mocks:\n  files.read_file: {result: text}\n", "‸\n", "mocks graph servers", "tests tools"},
		"a key of a test":           {"    vars: {top: 1}\n", "    ‸\n", "vars env needs limits cassette", "args nodes"},
		"a key of a case":           {"        args: {deep: true}\n", "        args: {deep: true}\n        ‸\n", "vars mocks expect", "tool cases args"},
		"a tool":                    {"tool: digest", "tool: ‸", "digest other", "find_files"},
		"an argument":               {"args: {directory: /tmp}\n    vars", "args: {‸}\n    vars", "directory deep", "path"},
		"an argument of a case":     {"{deep: true}", "{‸}", "directory deep", ""},
		"a value of an argument":    {"{deep: true}", "{deep: ‸}", "true false", ""},
		"a constant":                {"vars: {top: 1}", "vars: {‸}", "region top", "directory"},
		"a mock of the file":        {"  files.read_file: {result: text}\n", "  ‸\n", "list each call files.read_file files.find_files", "pick make"},
		"a mock of a test":          {"      list:\n        when: {path: /tmp}\n        result: {entries: [], total: 0}\n", "      ‸\n", "list each files.find_files", "call entry"},
		"a key of a mock":           {"        when: {path: /tmp}\n", "        ‸\n", "when error sequence code", "result path"},
		"what a mock is asked":      {"when: {path: /tmp}", "when: {‸}", "path order hidden", "entries"},
		"what a mock answers":       {"result: {entries: [], total: 0}", "result: {‸}", "entries total", "path"},
		"a code of a failure":       {"result: {entries: [], total: 0}", "error: late\n        code: ‸", "timeout tool-error", ""},
		"a key of the expectation":  {"      path: [entry, list]\n", "      ‸\n", "path isError executions contains", "value tests"},
		"a node of the path":        {"path: [entry, list]", "path: [entry, ‸]", "entry list exit ...", "call"},
		"a node of a call":          {"node: list", "node: ‸", "list each", "pick entry"},
		"a server of a call":        {"node: list, args: {path: /tmp}", "server: ‸", "files web", "list"},
		"a tool of a call":          {"node: list, args: {path: /tmp}", "server: files, tool: ‸", "find_files read_file", "digest"},
		"an argument of a call":     {"args: {path: /tmp}}\n      nodes", "args: {‸}}\n      nodes", "path order", "directory"},
		"a node that is expected":   {"nodes: {list: {total: 0}}", "nodes: {‸}", "list each pick make", "call"},
		"a field of an output":      {"nodes: {list: {total: 0}}", "nodes: {list: {‸}}", "total entries", "list"},
		"how often a node runs":     {"nodes: {list: {total: 0}}", "executions: {‸}", "list pick", "call"},
		"a node that has no value":  {"nodes: {list: {total: 0}}", "nothing: [‸]", "list pick", "call"},
		"another tool's arguments":  {"tool: digest\n    args: {directory: /tmp}", "tool: other\n    args: {‸}", "", "directory"},
		"a node of a called graph":  {"tool: digest\n", "tool: other\n    mocks: {‸}\n", "call digest:list digest:each", "list"},
		"an older half of the file": {"tests:\n  - name: small\n    tool: digest\n", "tests:\n  - tool: ‸\n", "digest other", ""},
	} {
		t.Run(name, func(t *testing.T) { offers(t, known, testFile, c.old, c.new, c.want, c.not) })
	}
}

const lockText = `version: 3
servers:
  files:
    identity: files
    tools:
      find_files:
        hash: sha256:00
`

func TestCandidatesOfLocks(t *testing.T) {
	known := knownOf(t, file).As(LockFile, nil)
	for name, c := range map[string]struct{ old, new, want, not string }{
		"a key of the file": {"version: 3\n", "version: 3\n‸\n", "capabilities", "servers version tools"},
		"a server":          {"    tools:\n      find_files:\n        hash: sha256:00\n", "    tools: {}\n  ‸\n", "web", "files"},
		"a key of a tool":   {"        hash: sha256:00\n", "        hash: sha256:00\n        ‸\n", "inputSchema learned", "hash tools"},
		"an effect":         {"servers:\n", "capabilities:\n  tools:\n    digest: {calls: {files.find_files: [‸]}}\nservers:\n", "read destroy", ""},
	} {
		t.Run(name, func(t *testing.T) { offers(t, known, lockText, c.old, c.new, c.want, c.not) })
	}
}

// offers checks the candidates at the ‸ of a text, in which a piece is replaced.
func offers(t *testing.T, known *Known, text, old, piece, want, not string) {
	t.Helper()
	src := strings.Replace(text, old, piece, 1)
	at := strings.Index(src, "‸")
	if at < 0 {
		t.Fatalf("the text has no %q", old)
	}
	list := At(t.Context(), strings.Replace(src, "‸", "", 1), at, known)
	var labels []string
	for _, candidate := range list.Candidates {
		labels = append(labels, strings.ReplaceAll(candidate.Label, " ", "_"))
	}
	for _, label := range strings.Fields(want) {
		if !slices.Contains(labels, label) {
			t.Errorf("%q is not among %q", label, labels)
		}
	}
	for _, label := range strings.Fields(not) {
		if slices.Contains(labels, label) {
			t.Errorf("%q is among %q", label, labels)
		}
	}
}
