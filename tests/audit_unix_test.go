//go:build unix

package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/internal/telemetry/audit"
	"toolgraph/tests/testbin"
)

// audited has a tool whose call destroys, one whose call has no known effect, and one that reads.
// The calls of the first two are counted by the server, in a ledger.
const audited = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ['ledger=$LEDGER', $ERA]}}
tools:
  - name: destroy
    nodes:
      - {id: entry, type: entry, next: enter}
      - {id: enter, type: mcp, server: up, tool: enter, effect: destroy, args: {n: 1}, next: exit}
      - {id: exit, type: exit}
  - name: unknown
    nodes:
      - {id: entry, type: entry, next: enter}
      - {id: enter, type: mcp, server: up, tool: enter, args: {n: 1}, next: exit}
      - {id: exit, type: exit}
  - name: look
    nodes:
      - {id: entry, type: entry, next: look}
      - {id: look, type: mcp, server: up, tool: text, effect: read, args: {text: seen}, next: exit}
      - {id: exit, type: exit}
`

// auditing is a server with an audit log, and what it has called.
type auditing struct {
	*session
	graph, log, ledger string
	call               func(tool string) string // the raw result
}

// startAuditing serves a graph; era is that of the upstream server, and isModern that of the client.
// prefix are the words of a command that starts the program; empty for none.
func startAuditing(t *testing.T, era string, isModern bool, prefix ...string) *auditing {
	t.Helper()
	dir := t.TempDir()
	a := &auditing{log: filepath.Join(dir, "audit.jsonl"), ledger: filepath.Join(dir, "ledger")}
	f := newGraphFile(t, strings.NewReplacer("$LEDGER", a.ledger, "$ERA", era).Replace(audited))
	a.graph = f.path
	words := append(slices.Clip(prefix), testbin.Build(t, "toolgraph"), "serve", f.path, "--audit", a.log, "--no-history")
	a.session = startProgram(t, nil, words...)
	params := `{"name":%q,"arguments":{}}`
	if isModern {
		params = `{"name":%q,"arguments":{},` + modernMeta + `}`
	} else {
		a.handshake()
	}
	a.call = func(tool string) string {
		t.Helper()
		return string(a.request("tools/call", fmt.Sprintf(params, tool)).Result)
	}
	return a
}

func (a *auditing) entries() int {
	src, err := os.ReadFile(a.ledger)
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	return bytes.Count(src, []byte("\n"))
}

// refuses checks that calls which are not read are refused before they are sent, and that others
// go on.
func (a *auditing) refuses(why string) {
	a.t.Helper()
	before := a.entries()
	for _, tool := range []string{"destroy", "unknown"} {
		if got := a.call(tool); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "was not called, because the audit log cannot be written") || !strings.Contains(got, why) {
			a.t.Errorf("%s is answered %s, expected %q", tool, got, why)
		}
	}
	if n := a.entries() - before; n != 0 {
		a.t.Errorf("the server has counted %d calls", n)
	}
	if got := a.call("look"); !strings.Contains(got, "seen") || strings.Contains(got, `"isError":true`) {
		a.t.Errorf("look is answered %s", got)
	}
	if said := a.stderr.String(); strings.Count(said, "the audit log cannot be written; calls that are not known to be read-only are refused") != 1 {
		a.t.Errorf("the log has %s", said)
	}
}

// allows checks that all calls are sent.
func (a *auditing) allows() {
	a.t.Helper()
	before := a.entries()
	for _, tool := range []string{"destroy", "unknown", "look"} {
		if got := a.call(tool); strings.Contains(got, `"isError":true`) {
			a.t.Errorf("%s is answered %s", tool, got)
		}
	}
	if n := a.entries() - before; n != 2 {
		a.t.Errorf("the server has counted %d calls", n)
	}
}

// verified ends the server and verifies its log.
func (a *auditing) verified() *audit.Report {
	a.t.Helper()
	a.end()
	r, err := audit.Verify(a.log)
	if err != nil || !r.OK {
		src, _ := os.ReadFile(a.log)
		a.t.Fatalf("%v, %+v\n%s", err, r.Problem, src)
	}
	return r
}

// eachEra runs a test for clients and upstream servers of both eras.
func eachEra(t *testing.T, test func(t *testing.T, era string, isModern bool)) {
	for _, era := range []string{"both", "nodiscover"} {
		for _, isModern := range []bool{false, true} {
			t.Run(fmt.Sprintf("upstream %s, modern client %v", era, isModern), func(t *testing.T) { test(t, era, isModern) })
		}
	}
}

// F17 (T13): the permission to write the log is removed while a file is served.
func TestF17PermissionRemoved(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, era string, isModern bool) {
		a := startAuditing(t, era, isModern)
		a.allows()
		if err := os.Chmod(a.log, 0o400); err != nil {
			t.Fatal(err)
		}
		a.refuses("has no write permission; restore it with: chmod 600")
		if err := os.Chmod(a.log, 0o600); err != nil {
			t.Fatal(err)
		}
		a.allows()
		r := a.verified()
		if r.Lost == 0 || len(r.Notes) != 1 || r.Calls["destroy"] != 2 || r.Calls["unknown"] != 2 || r.Calls["read"] != 2 || r.Open != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// F17 (T13): the disk is full while a file is served: a limit for the size of files stands for it,
// since its writes fail after a part, too.
func TestF17DiskFull(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, era string, isModern bool) {
		a := startAuditing(t, era, isModern, "sh", "-c", `ulimit -f 24; exec "$0" "$@"`)
		a.allows()
		size := int64(-1)
		for range 100 {
			info, err := os.Stat(a.log)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() == size {
				break
			}
			size = info.Size()
			a.call("look")
		}
		a.refuses("file too large")
		a.end()
		r, err := audit.Verify(a.log)
		if err != nil || !r.OK || len(r.Notes) > 1 {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// F17 (T13): a log that was edited, or whose end was cut off, is reported with its first bad line,
// and no server starts on it.
func TestF17EditedFile(t *testing.T) {
	t.Parallel()
	a := startAuditing(t, "both", false)
	a.allows()
	a.verified()
	whole, err := os.ReadFile(a.log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	bin := testbin.Build(t, "toolgraph")
	for expected, src := range map[string][]byte{
		":4: the line was changed":                      bytes.Replace(whole, []byte(`"effect":"destroy"`), []byte(`"effect":"read"`), 1),
		":4: found line 5":                              bytes.Join(append(append([][]byte{}, lines[:3]...), lines[4:]...), nil),
		":6: found the end of the log after its line 5": bytes.Join(lines[:5], nil),
	} {
		if err := os.WriteFile(a.log, src, 0o600); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), bin, "audit", a.log)
		cmd.Stderr = &stderr
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(stderr.String(), "toolgraph: "+a.log+expected) {
			t.Errorf("%v: %s, expected %s", err, &stderr, expected)
		}
	}
	out, err := exec.CommandContext(t.Context(), bin, "serve", a.graph, "--audit", a.log).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("audit.jsonl is damaged: ")) {
		t.Errorf("%v: %s", err, out)
	}
}

// The lines leave the process as log records, in the order of the log; a collector that fails
// blocks no call.
func TestAuditOverOTLP(t *testing.T) {
	t.Parallel()
	to := newCollector(t)
	dir := t.TempDir()
	f := newGraphFile(t, strings.NewReplacer("$LEDGER", dir+"/ledger", "$ERA", "both").Replace(audited))
	for endpoint, isThere := range map[string]bool{to.URL: true, "http://127.0.0.1:1": false} {
		s := startCommand(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint}, "serve", f.path, "--no-history", "--otel", "--audit", fmt.Sprintf("%s/%v.jsonl", dir, isThere))
		s.handshake()
		if got := s.call("destroy", `{}`); got.IsError {
			t.Errorf("%+v", got)
		}
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d: %s", code, s.stderr)
		}
		if !isThere && !strings.Contains(s.stderr.String(), "log records could not be sent") {
			t.Error(s.stderr)
		}
	}
	sent := to.String()
	at := 0
	for _, expected := range []string{"/v1/logs", "toolgraph.audit.opened", "toolgraph.audit.run-begun", "toolgraph.audit.call", "toolgraph.audit.outcome", "toolgraph.audit.run-ended", "toolgraph.audit.closed"} {
		next := strings.Index(sent[at:], expected)
		if next < 0 {
			t.Fatalf("no %s after byte %d of what was sent", expected, at)
		}
		at += next
	}
}
