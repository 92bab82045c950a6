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
