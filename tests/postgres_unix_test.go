//go:build unix

package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// withPassword returns the URL with a password, which the server of tests does not ask for.
func withPassword(url string) string {
	return strings.Replace(url, "postgres@", "postgres:hunter2-hunter2@", 1)
}

// Two processes with one database see each other's runs: the page lists, shows and follows those that the
// command line makes, and the command line those of the page. The password is shown nowhere.
func TestUIOverPostgres(t *testing.T) {
	t.Parallel()
	url := withPassword(pgtest.URL(t))
	f := newGraphFile(t, uiGraph)
	p, cmd, stderr := startUI(t, f.path, "--state", url, "--log-level", "debug")
	cli := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), append(args, "--state", url)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
		if strings.Contains(string(out), "hunter2") {
			t.Errorf("%v prints the password: %s", args, out)
		}
		return string(out)
	}
	cli("run", f.path, "double", "n=4")
	var list struct{ Runs []struct{ ID string } }
	if err := json.Unmarshal([]byte(cli("runs", "list", "--json")), &list); err != nil || len(list.Runs) != 1 {
		t.Fatal(list, err)
	}
	p.until("api/runs", list.Runs[0].ID) // the page follows
	p.ask("GET", "api/runs/"+list.Runs[0].ID+"/steps", "")
	if got := p.ask("GET", "api/runs/"+list.Runs[0].ID+"/whole?of=result", ""); got != "8" {
		t.Errorf("the result is %s", got)
	}
	var run struct{ ID string }
	if err := json.Unmarshal([]byte(p.ask("POST", "api/runs", `{"tool": "double", "args": {"n": 21}}`)), &run); err != nil {
		t.Fatal(err)
	}
	p.until("api/runs/"+run.ID, `"finished"`)
	if err := json.Unmarshal([]byte(p.ask("POST", "api/runs/"+list.Runs[0].ID+"/replay", `{}`)), &run); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("at an interrupt it ends with %v: %s", err, stderr.String())
	}
	if out := cli("runs", "list"); strings.Count(out, "finished") < 2 {
		t.Errorf("the runs of both are not listed: %s", out)
	}
	if strings.Contains(stderr.String(), "hunter2") {
		t.Errorf("the log has the password: %s", stderr.String())
	}
}

// An agent reads runs over MCP from the same database as the command line, with the same answers.
func TestInspectOverPostgres(t *testing.T) {
	t.Parallel()
	url := withPassword(pgtest.URL(t))
	binary := testbin.Build(t, "toolgraph")
	graph, err := filepath.Abs(filepath.Join("testdata", "history.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"n=3", "n=4"} {
		output(t, binary, "run", graph, "loop", n, "--state", url)
	}
	agent := inspector(t, binary, "-g", graph, "--state", url)
	for _, c := range []struct {
		question string
		args     map[string]any
		also     []string // the subcommand that prints the same
		holds    string
	}{
		{"list_runs", map[string]any{"status": "finished"}, []string{"runs", "list", "--status", "finished", "--json"}, `"args":"{\"n\":3}"`},
		{"read_run", map[string]any{"run": "last", "from": 1, "limit": 2}, []string{"runs", "show", "last", "--from", "1", "--limit", "2", "--json"}, `"next":3`},
		{"explain_run", map[string]any{"run": "last"}, []string{"runs", "explain", "last", "--json"}, `"executions":[{`},
		{"doctor", nil, []string{"doctor", "-g", graph, "--json"}, `has 2 runs in`},
	} {
		returned := compact(t, asked(t, agent, c.question, c.args))
		printed := compact(t, output(t, binary, append(c.also, "--state", url)...))
		if !strings.Contains(returned, c.holds) || returned != printed {
			t.Errorf("%s: no %s, or not what is printed:\n%s\n%s", c.question, c.holds, returned, printed)
		}
		if strings.Contains(returned, "hunter2") {
			t.Errorf("%s has the password: %s", c.question, returned)
		}
	}
}
