package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// Two names of one process keep what belongs to a name: the checks of tools, questions, errors and
// the timeout. The process is started once, and ended once.
func TestNamesThatShareAProcess(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	first := fake(t, "countfile="+started)
	first.AllowElicit = true
	second := *first
	second.Name, second.Shares = text("text.fake"), "fake"
	alone := *first
	alone.Name, alone.Shares = text("list.fake"), "none"
	x := &checkedNames{refused: "fake"}
	var asked []string
	ask := func(_ context.Context, server string, _ json.RawMessage) (json.RawMessage, error) {
		asked = append(asked, server)
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	p := NewPool([]*config.Upstream{first, &second, &alone}, withAdjust(unlimited), withClock(unhurried), WithToolCheck(x.check), WithElicitor(ask))
	defer p.Close()
	for _, server := range []string{"text.fake", "fake", "text.fake", "list.fake", "fake"} {
		_, err := p.CallTool(t.Context(), call.Call{Server: server, Tool: "count"})
		var e *Error
		if refused := errors.As(err, &e); refused != (server == "fake") || refused && e.Server != "fake" {
			t.Errorf("%s: %v", server, err)
		}
	}
	if got := strings.Join(x.asked, " "); got != "text.fake fake list.fake" {
		t.Errorf("checked %s", got)
	}
	question, err := value.Decode([]byte(`{"method": "elicitation/create", "params": {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CallTool(t.Context(), call.Call{Server: "text.fake", Tool: "callback", Args: question}); err != nil {
		t.Error(err)
	}
	if got := strings.Join(asked, " "); got != "text.fake" {
		t.Errorf("questions of %q", got)
	}
	if got := p.KnownTools("fake"); len(got) == 0 || len(got) != len(p.KnownTools("text.fake")) {
		t.Error(got)
	}
	log, err := os.ReadFile(started)
	if err != nil || strings.Count(string(log), "\n") != 2 {
		t.Errorf("%v; processes: %s", err, log)
	}
}

// Pools have a server in common that they define alike; it ends with the last of them. One that differs in anything is another.
func TestPoolsShareServers(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	common := fake(t, "countfile="+started)
	again := *common
	again.Name.Pos = config.Pos{File: "b.yaml", Line: 7}
	limited := *common
	limited.MaxInFlight = 1
	own := fake(t)
	own.Name = text("own")
	var shared Shared
	defer shared.Close()
	lease := func(variant string, servers ...*config.Upstream) (*Pool, func()) {
		return shared.Lease(servers, variant, func() *Pool {
			return NewPool(servers, withAdjust(unlimited), withClock(unhurried), SharedBy(&shared, variant))
		})
	}
	count := func(p *Pool, processes int) {
		t.Helper()
		if _, err := p.CallTool(t.Context(), call.Call{Server: "fake", Tool: "inc", Args: value.NewObject([]string{"n"}, []value.Value{1.0})}); err != nil {
			t.Error(err)
		}
		if log, err := os.ReadFile(started); err != nil || strings.Count(string(log), "\n") != processes {
			t.Errorf("%v; processes: %s, expected %d", err, log, processes)
		}
	}
	first, firstDone := lease("", common)
	second, secondDone := lease("", &again, own)
	if first == second {
		t.Fatal("one pool has two sets of servers")
	}
	count(first, 1)
	count(second, 1)
	if load := shared.Loads()["fake"]; load.Running != 1 {
		t.Errorf("%+v", load)
	}
	third, thirdDone := lease("", &limited)
	count(third, 2)
	fourth, fourthDone := lease("locked", common)
	count(fourth, 3)
	firstDone()
	thirdDone()
	fourthDone()
	waitFor(t, "the end of the others", func() bool { return len(shared.open) == 2 }) // the last one that was lent stays
	count(second, 3)
	secondDone()
	waitFor(t, "the end of the servers of the second pool", func() bool {
		shared.serving.Lock()
		defer shared.serving.Unlock()
		return len(shared.uses) == 1
	})
	if got := shared.Loads()["fake"]; got.Running != 1 {
		t.Errorf("%+v", got)
	}
	fifth, fifthDone := lease("", common) // the process has ended with its last pool
	count(fifth, 4)
	fifthDone()
}

// checkedNames refuses the tools of one server, and keeps which servers it was asked about.
type checkedNames struct {
	refused string
	asked   []string
}

func (x *checkedNames) check(server string, _ Tool) *Error {
	x.asked = append(x.asked, server)
	if server == x.refused {
		return &Error{Code: "changed", Message: "it is another"}
	}
	return nil
}
