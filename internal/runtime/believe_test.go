package runtime

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
	"toolgraph/tests/testbin"
)

// annotated are the annotations of tools, with what follows from them when they are believed.
var annotated = map[string]struct {
	annotations string
	effect      config.Effect
	repeatable  bool // when the file does not say what the call does
	whatever    bool // also when the file says that it writes
}{
	"read":        {`{"readOnlyHint":true}`, config.ReadEffect, true, false},
	"reads all":   {`{"readOnlyHint":true,"destructiveHint":true}`, config.ReadEffect, true, false},
	"adds":        {`{"destructiveHint":false}`, config.WriteEffect, false, false},
	"idempotent":  {`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true}`, config.WriteEffect, true, true},
	"destroys":    {`{"destructiveHint":true}`, config.DestroyEffect, false, false},
	"writes":      {`{"readOnlyHint":false,"idempotentHint":false}`, config.DestroyEffect, false, false},
	"says little": {`{"title":"A tool"}`, "", false, false},
	"silent":      {``, "", false, false},
	"wrong kind":  {`{"readOnlyHint":"true"}`, "", false, false},
}

// What a call does, and whether it may be repeated, follows from the same hints: those of the lock
// in force, else those of a trusted server.
func TestWhatIsBelieved(t *testing.T) {
	asked := 0
	serves := func(_ context.Context, _, tool string) (mcpclient.Tool, bool) {
		asked++
		said, known := annotated[tool]
		return mcpclient.Tool{Name: tool, Annotations: []byte(said.annotations)}, known
	}
	var entries []lock.Entry
	for tool, said := range annotated {
		entries = append(entries, lock.Entry{Server: "other", Tool: tool, Annotations: []byte(said.annotations)})
	}
	trusts := func(server string) bool { return server == "trusted" }
	byServer := &believer{trusts: trusts, listed: serves}
	byLock := &believer{lock: lock.Of("graph.lock.yaml", entries...), trusts: trusts, listed: serves}
	for tool, said := range annotated {
		for name, c := range map[string]struct {
			b        *believer
			server   string
			believed bool
		}{
			"a trusted server":                     {byServer, "trusted", true},
			"another server":                       {byServer, "other", false},
			"no server":                            {byServer, "nowhere", false},
			"the lock":                             {byLock, "other", true},
			"a trusted server that is not locked":  {byLock, "trusted", false},
			"the tests of a file without a lock":   {&believer{}, "trusted", false},
			"a trusted server that is not running": {&believer{trusts: trusts, listed: unlisted}, "trusted", false},
		} {
			want := said
			if !c.believed {
				want.effect, want.repeatable, want.whatever = "", false, false
			}
			if got := c.b.Effect(t.Context(), c.server, tool); got != want.effect {
				t.Errorf("%s, %s: the effect is %q, want %q", tool, name, got, want.effect)
			}
			may := c.b.Repeatable(t.Context())
			if may(c.server, tool, "") != want.repeatable || may(c.server, tool, config.WriteEffect) != want.whatever {
				t.Errorf("%s, %s: want repeatable %t, and %t when it writes", tool, name, want.repeatable, want.whatever)
			}
		}
	}
	asked = 0
	byLock.Effect(t.Context(), "trusted", "read")
	byServer.Effect(t.Context(), "other", "read")
	if asked > 0 {
		t.Error("a server was asked that is not believed")
	}
}

func unlisted(context.Context, string, string) (mcpclient.Tool, bool) { return mcpclient.Tool{}, false }

// A call may do less than what it was permitted for, and not more.
func TestCallsThatExceedTheirPermission(t *testing.T) {
	for _, c := range []struct {
		permitted, now config.Effect
		refused        bool
	}{
		{"read", "read", false},
		{"read", "write", true},
		{"read", "destroy", true},
		{"read", "", true},
		{"write", "read", false},
		{"write", "write", false},
		{"write", "destroy", true},
		{"write", "", true},
	} {
		if err := exceeding(c.permitted, c.now); (err != nil) != c.refused {
			t.Errorf("permitted to %s, now %q: %v", c.permitted, c.now, err)
		}
	}
}

// A tool that becomes destructive after its call was permitted, and before it is sent, is not
// called.
func TestDefinitionChangesBeforeTheCall(t *testing.T) {
	pulled := filepath.Join(t.TempDir(), "pulled")
	lists := func(annotations string) {
		t.Helper()
		if err := os.WriteFile(pulled, []byte(`{"inc":{"name":"inc","inputSchema":{"type":"object"},"annotations":`+annotations+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	up := &config.Upstream{
		Name: config.Text{Value: "up"}, Transport: config.Stdio, Dir: t.TempDir(), Trusted: true,
		Command: config.Text{Value: testbin.Build(t, "toolgraph/tests/fakeserver")}, Args: []config.Text{{Value: "rugpull=" + pulled}},
	}
	l := &Loaded{Session: &Session{Log: slog.New(slog.DiscardHandler)}, Project: &project.Project{File: &config.File{Servers: []*config.Upstream{up}}}, Pool: mcpclient.NewPool([]*config.Upstream{up})}
	defer l.Pool.Close()
	permitted := context.WithValue(t.Context(), permittedKey{}, true)
	caller := upstreamCaller{l}
	call := func(ctx context.Context, tool string, effect config.Effect, believed bool) string {
		_, err := caller.CallTool(ctx, execution.Call{Server: "up", Tool: tool, Effect: effect, Believed: believed, Args: value.NewObject(nil, nil)})
		if fail := (*mcpclient.Error)(nil); errors.As(err, &fail) {
			return fail.ErrorCode()
		}
		return ""
	}
	lists(`{"readOnlyHint":true}`)
	if e := l.Believer(true).Effect(t.Context(), "up", "inc"); e != config.ReadEffect {
		t.Fatalf("the effect is %q", e)
	}
	lists(`{"destructiveHint":true}`)
	call(permitted, "listchanged", config.ReadEffect, false)
	for name, c := range map[string]struct {
		ctx      context.Context
		effect   config.Effect
		believed bool
		want     string
	}{
		"permitted to read":           {permitted, config.ReadEffect, true, lock.CodeChanged},
		"permitted to write":          {permitted, config.WriteEffect, true, lock.CodeChanged},
		"permitted to destroy":        {permitted, config.DestroyEffect, true, ""},
		"by the word of the author":   {permitted, config.ReadEffect, false, ""},
		"nothing depends on it":       {t.Context(), config.ReadEffect, true, ""},
		"a tool that it does not say": {permitted, "", false, ""},
	} {
		if got := call(c.ctx, "inc", c.effect, c.believed); got != c.want {
			t.Errorf("%s: the call fails with %q, want %q", name, got, c.want)
		}
	}
}
