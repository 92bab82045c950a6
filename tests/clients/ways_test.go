package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/npm"
	"toolgraph/tests/toolresult"
)

// everyTool are calls of all 51 tools of three servers of npm, in an order in which each does what it is for; some fail. DIR is the
// directory of the host's project.
const everyTool = `files.list_allowed_directories {}
files.write_file {"path": "DIR/notes/new.md", "content": "one\ntwo <é>\n"}
files.read_text_file {"path": "DIR/notes/new.md", "head": 1}
files.read_file {"path": "DIR/notes/none.md"}
files.read_media_file {"path": "DIR/notes/dot.png"}
files.read_media_file {"path": "DIR/notes/tone.wav"}
files.read_multiple_files {"paths": ["DIR/notes/a.md", "DIR/notes/none.md"]}
files.edit_file {"path": "DIR/notes/a.md", "edits": [{"oldText": "alpha", "newText": "beta"}]}
files.create_directory {"path": "DIR/notes/sub"}
files.move_file {"source": "DIR/notes/new.md", "destination": "DIR/notes/sub/new.md"}
files.list_directory {"path": "DIR/notes"}
files.list_directory_with_sizes {"path": "DIR/notes", "sortBy": "name"}
files.directory_tree {"path": "DIR/notes"}
files.search_files {"path": "DIR/notes", "pattern": "**/*.md"}
files.get_file_info {"path": "DIR/notes/a.md"}
files.read_text_file {"path": "/etc/hostname"}
memory.create_entities {"entities": [{"name": "one", "entityType": "note", "observations": ["first"]}, {"name": "two", "entityType": "note", "observations": []}]}
memory.create_relations {"relations": [{"from": "one", "to": "two", "relationType": "before"}]}
memory.add_observations {"observations": [{"entityName": "one", "contents": ["second", "third"]}]}
memory.add_observations {"observations": [{"entityName": "none", "contents": ["x"]}]}
memory.read_graph {}
memory.search_nodes {"query": "second"}
memory.open_nodes {"names": ["two"]}
memory.delete_observations {"deletions": [{"entityName": "one", "observations": ["third"]}]}
memory.delete_relations {"relations": [{"from": "one", "to": "two", "relationType": "before"}]}
memory.delete_entities {"entityNames": ["two"]}
git.git_set_working_dir {"path": "DIR/repo"}
git.git_status {"path": "DIR/repo"}
git.git_add {"path": "DIR/repo", "paths": ["b.txt"]}
git.git_diff {"path": "DIR/repo", "staged": true}
git.git_commit {"path": "DIR/repo", "message": "add b"}
git.git_log {"path": "DIR/repo", "maxCount": 5}
git.git_show {"path": "DIR/repo", "object": "HEAD~1"}
git.git_blame {"path": "DIR/repo", "filePath": "a.txt"}
git.git_branch {"path": "DIR/repo", "mode": "create", "branchName": "topic"}
git.git_checkout {"path": "DIR/repo", "target": "topic"}
git.git_checkout {"path": "DIR/repo", "target": "nowhere"}
git.git_cherry_pick {"path": "DIR/repo", "commits": ["side"]}
git.git_checkout {"path": "DIR/repo", "target": "main"}
git.git_merge {"path": "DIR/repo", "branch": "topic"}
git.git_rebase {"path": "DIR/repo", "upstream": "main"}
git.git_tag {"path": "DIR/repo", "mode": "create", "tagName": "v1"}
git.git_remote {"path": "DIR/repo", "mode": "list"}
git.git_fetch {"path": "DIR/repo", "remote": "origin"}
git.git_push {"path": "DIR/repo", "remote": "origin", "branch": "main"}
git.git_pull {"path": "DIR/repo", "remote": "origin", "branch": "main"}
git.git_stash {"path": "DIR/repo", "mode": "list"}
git.git_reflog {"path": "DIR/repo", "maxCount": 3}
git.git_worktree {"path": "DIR/repo", "mode": "list"}
git.git_clean {"path": "DIR/repo", "force": true, "dryRun": true}
git.git_reset {"path": "DIR/repo", "mode": "soft", "target": "HEAD~1", "confirmed": true}
git.git_clone {"url": "file://DIR/remote.git", "path": "DIR/clone"}
git.git_init {"path": "DIR/fresh"}
git.git_changelog_analyze {"path": "DIR/repo", "reviewTypes": ["features"]}
git.git_wrapup_instructions {"acknowledgement": "yes"}
git.git_clear_working_dir {"confirm": "yes"}`

// step is a line of everyTool.
type step struct {
	server, tool string
	args         map[string]any
}

func steps(dir string) (all []step) {
	for line := range strings.Lines(everyTool) {
		of, args, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "DIR", dir)), " ")
		server, tool, _ := strings.Cut(of, ".")
		all = append(all, step{server, tool, object(args)})
	}
	return all
}

// prepare makes the project what it is before the first call.
func prepare(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"notes/a.md": "alpha\n", "notes/dot.png": "\x89PNG\r\n\x1a\n", "notes/tone.wav": "RIFF0000WAVE", "repo/a.txt": "a\n", "repo/b.txt": "b\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `set -e
git init -q -b main . && git config user.name test && git config user.email test@test.example
git add a.txt && git commit -qm first
git checkout -qb side && echo c > c.txt && git add c.txt && git commit -qm side && git checkout -q main
git init -q --bare -b main ../remote.git && git remote add origin ../remote.git && git push -q origin main`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = filepath.Join(dir, "repo")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// changing is what differs each time that a server does the same: times, and what is made of them.
var changing = regexp.MustCompile(`[0-9a-f]{40}\b|\b[0-9a-f]{7,12}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z?|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} [0-9:]+|\b1[789]\d{8}(\d{3}(\.\d+)?)?\b`)

// answers are the results that a client has got, in the order of its calls. It has agreed to each question.
func answers(t *testing.T, modules string, h hostHome, command []string, calls []call) (results []toolresult.Result, said seen) {
	t.Helper()
	said = bySDK(t, modules, h.env, job{Command: command, Directory: h.project, Calls: calls, Answer: "accept"})
	for _, line := range said.Received {
		var m struct{ Result json.RawMessage }
		if json.Unmarshal([]byte(line), &m) != nil || len(m.Result) == 0 {
			continue
		}
		r, err := toolresult.Parse(changing.ReplaceAll(m.Result, []byte("0")))
		if err != nil {
			t.Fatal(err)
		}
		if r["content"] != nil {
			results = append(results, r)
		}
	}
	if len(results) != len(calls) {
		t.Fatalf("%d results of %d calls: %s", len(results), len(calls), results)
	}
	return results, said
}

// atServers are the results of steps by server, each called straight at its server, which have 51 tools; each of them is called.
func atServers(t *testing.T, modules string, h hostHome, all []step, commands map[string][]string) map[string][]toolresult.Result {
	t.Helper()
	straight, tools := map[string][]toolresult.Result{}, 0
	for server, command := range commands {
		var calls []call
		for _, one := range all {
			if one.server == server {
				calls = append(calls, call{one.tool, one.args})
			}
		}
		results, said := answers(t, modules, h, command, calls)
		for _, tool := range said.Tools {
			if tools++; !slices.ContainsFunc(calls, func(c call) bool { return c.Tool == tool }) {
				t.Errorf("%s of %s is not called", tool, server)
			}
		}
		straight[server] = results
	}
	if tools != 51 {
		t.Errorf("the servers have %d tools", tools)
	}
	return straight
}

// All 51 tools of the filesystem, memory and git servers of npm, adopted from a host: each is called at its server, by expose, and in a
// plan through the one entry, and gives the same. The one entry has at most 1,500 tokens of definitions.
func TestEveryToolThreeWays(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, sdkPackage)
	servers, err := npm.Install(t.Context(), adoptedPackages...)
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	h := newHostHome(t, s, modules)
	script := func(name string) string {
		return filepath.Join(servers, "node_modules", filepath.FromSlash(name), "dist", "index.js")
	}
	path, src := hostFile(h, "gemini", node, script)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(s.binary, "adopt", "gemini", "--yes")
	graph, _, _ := strings.Cut(after(h.run(s.binary, "doctor", "--host", "gemini", "--json"), `"graph": "`), `"`)
	h.env = append(h.env, entryEnv(t, path)...)

	all := steps(h.project)
	prepare(t, h.project)
	straight := atServers(t, modules, h, all, map[string][]string{
		"files": {node, script("@modelcontextprotocol/server-filesystem"), h.project}, "memory": {node, script("@modelcontextprotocol/server-memory")},
		"git": {node, script("@cyanheads/git-mcp-server")},
	})
	exposing := filepath.Join(filepath.Dir(graph), "expose.yaml")
	const exposed = "server: {name: all, version: 1.0.0}\nmcpServers: {files: {registry: true}, git: {registry: true}, memory: {registry: true}}\nexpose: [\"files.*\", \"git.*\", \"memory.*\"]\n"
	if err := os.WriteFile(exposing, []byte(exposed), 0o600); err != nil {
		t.Fatal(err)
	}
	var byExpose, byPlan []call
	for _, one := range all {
		byExpose = append(byExpose, call{one.server + "__" + one.tool, one.args})
		byPlan = append(byPlan, call{"run_plan", map[string]any{
			"steps": []any{map[string]any{"id": "a", "call": one.server + "." + one.tool, "args": one.args}}, "return": `{"value": a}`,
		}})
	}
	prepare(t, h.project)
	passed, _ := answers(t, modules, h, []string{s.binary, "-g", exposing}, byExpose)
	prepare(t, h.project)
	planned, said := answers(t, modules, h, []string{s.binary, "-g", graph, "--locked"}, byPlan)
	var failed []string
	for i, one := range all {
		want := straight[one.server][0]
		straight[one.server] = straight[one.server][1:]
		if fmt.Sprintf("%s", passed[i]) != fmt.Sprintf("%s", want) {
			t.Errorf("expose, %s:\n%s\nwant\n%s", one.tool, passed[i], want)
		}
		if difference := want.Differs(nil, planned[i]); difference != "" {
			t.Errorf("%s: %s", one.tool, difference)
		}
		if want.Failed() {
			failed = append(failed, one.tool)
		}
	}
	if len(failed) > 8 { // they are there to fail, or for what this machine lacks, such as a key to sign with
		t.Errorf("these have failed: %q", failed)
	}
	at := slices.IndexFunc(said.Received, func(line string) bool { return strings.Contains(line, `"inputSchema"`) })
	if at < 0 || len(said.Received[at])/4 > 1500 {
		t.Errorf("the definitions of the one entry: %s", said.Received[max(at, 0)])
	}
}
