package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

const uiGraph = `server: {name: paged, version: 1.0.0}
tools:
  - name: double
    description: doubles a number
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    nodes:
      - {id: in, type: entry, next: twice}
      - {id: twice, type: transform, transform: {expr: "$.in.n * 2"}, next: out}
      - {id: out, type: exit}
`

var uiAddress = regexp.MustCompile(`(http://127\.0\.0\.1:\d+/)#token=([\w-]+)`)

// uiPage is the page of a running `toolgraph ui`, as a browser with a session sees it.
type uiPage struct {
	t      *testing.T
	base   string
	client *http.Client
}

func (p *uiPage) ask(method, path, body string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	src, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %d %v %s", method, path, resp.StatusCode, err, src)
	}
	return string(src)
}

// until asks for a path until its answer has a text.
func (p *uiPage) until(path, text string) string {
	p.t.Helper()
	for end := time.Now().Add(answerTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got := p.ask("GET", path, ""); strings.Contains(got, text) {
			return got
		}
	}
	p.t.Fatalf("%s never has %s: %s", path, text, p.ask("GET", path, ""))
	return ""
}

// startUI serves the page of a graph file until the test ends.
func startUI(t *testing.T, graph string, args ...string) (p *uiPage, cmd *exec.Cmd, stderr *lockedBuffer) {
	t.Helper()
	stderr = &lockedBuffer{}
	cmd = exec.Command(testbin.Build(t, "toolgraph"), append([]string{"ui", "-g", graph}, args...)...)
	cmd.Stderr = stderr
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if stdout.Len() > 0 {
			t.Errorf("standard output has %s", stdout.String())
		}
	})
	var found []string
	for end := time.Now().Add(answerTimeout); found == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no address: %s", stderr.String())
		}
		found = uiAddress.FindStringSubmatch(stderr.String())
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p = &uiPage{t: t, base: found[1], client: &http.Client{Jar: jar, Timeout: answerTimeout}}
	p.ask("POST", "api/session", `{"token": "`+found[2]+`"}`)
	return p, cmd, stderr
}

// The page runs a tool, records the run, and reloads a changed file.
func TestUIRunsKeepsReloads(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, uiGraph)
	state := t.TempDir()
	p, cmd, stderr := startUI(t, f.path, "--state", state)
	var run struct{ ID string }
	if err := json.Unmarshal([]byte(p.ask("POST", "api/runs", `{"tool": "double", "args": {"n": 21}}`)), &run); err != nil {
		t.Fatal(err)
	}
	p.until("api/runs/"+run.ID, `"finished"`)
	if got := p.ask("GET", "api/runs/"+run.ID+"/whole?of=result", ""); got != "42" {
		t.Errorf("the result is %s", got)
	}
	for end := time.Now().Add(answerTimeout); ; time.Sleep(5 * time.Millisecond) { // it is written soon after its end
		list, err := exec.Command(testbin.Build(t, "toolgraph"), "runs", "list", "--state", state).CombinedOutput()
		if err == nil && strings.Contains(string(list), "double") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the run is not kept: %v %s", err, list)
		}
	}
	f.write(strings.ReplaceAll(uiGraph, "double", "twofold"))
	p.until("api/project", `"twofold"`)
	f.write("tools: [")
	p.until("api/project", `"rejected":true`)
	p.until("api/project", `"twofold"`)
	f.write(uiGraph)
	p.until("api/project", `"rejected":false`)
	if runtime.GOOS != "windows" {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("at an interrupt it ends with %v: %s", err, stderr.String())
		}
	}
}

// N03: the token is in the printed address and in no log.
func TestN03UILogsNoToken(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, uiGraph)
	p, _, stderr := startUI(t, f.path, "--no-history", "--log-level", "debug", "--no-open")
	p.ask("POST", "api/runs", `{"tool": "double", "args": {"n": 1}}`)
	token := uiAddress.FindStringSubmatch(stderr.String())[2]
	if n := strings.Count(stderr.String(), token); n != 1 {
		t.Errorf("the token stands %d times in:\n%s", n, stderr.String())
	}
}
