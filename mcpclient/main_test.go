package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/tests/testbin"
)

// TestMain looks for leaked goroutines.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == victimCommand {
		beVictim(os.Args[2])
	}
	code := testbin.Run(m)
	if code == 0 {
		err := goleak.Find()
		for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = goleak.Find() {
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func text(s string) config.Text { return config.Text{Value: s} }

// fake is the fake server, named fake, in these modes.
func fake(t testing.TB, modes ...string) *config.Upstream {
	t.Helper()
	u := &config.Upstream{
		Name: text("fake"), Transport: config.Stdio, Dir: t.TempDir(),
		Command: text(testbin.Build(t, "toolgraph/tests/fakeserver")),
	}
	for _, m := range modes {
		u.Args = append(u.Args, text(m))
	}
	return u
}

// withAdjust changes the settings of every server, after what other options changed.
func withAdjust(f func(*settings)) Option {
	return func(o *options) {
		before := o.adjust
		o.adjust = func(s *settings) {
			if before != nil {
				before(s)
			}
			f(s)
		}
	}
}

// unlimited makes the time limits that a busy machine could reach guards against hanging.
func unlimited(s *settings) { s.Timeout, s.StartTimeout = patience, patience }

// pool is a pool of one server that is closed at the end of the test. Its limits and
// graces are long, unless the options say otherwise.
func pool(t testing.TB, u *config.Upstream, opts ...Option) *Pool {
	t.Helper()
	p := NewPool([]*config.Upstream{u}, append([]Option{withAdjust(unlimited), withClock(unhurried)}, opts...)...)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// callTool calls a tool with arguments given as JSON and returns the value as JSON.
func callTool(p *Pool, tool, args string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), 2*patience)
	defer stop()
	return callWith(ctx, p, tool, args)
}

func callWith(ctx context.Context, p *Pool, tool, args string) (string, error) {
	v, err := value.Decode([]byte(args))
	if err != nil {
		return "", err
	}
	got, err := p.CallTool(ctx, call.Call{Server: "fake", Tool: tool, Args: v})
	if err != nil {
		return "", err
	}
	raw, err := value.Encode(got)
	return string(raw), err
}

func mustCall(t testing.TB, p *Pool, tool, args, want string) {
	t.Helper()
	got, err := callTool(p, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if got != want {
		t.Fatalf("%s: got %s, want %s", tool, got, want)
	}
}

// mustFail calls a tool and returns its error, which must have the code.
func mustFail(t testing.TB, p *Pool, tool, args, code string) *Error {
	t.Helper()
	got, err := callTool(p, tool, args)
	return wantError(t, got, err, code)
}

func wantError(t testing.TB, got string, err error, code string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %.200s and error %v, want an *Error", got, err)
	}
	if e.ErrorCode() != code {
		t.Fatalf("got code %s, want %s: %v", e.Code, code, e)
	}
	return e
}

func encoded(t testing.TB, v value.Value) string {
	t.Helper()
	raw, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// waitFor waits until a condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// waitForLine waits until a file has a line.
func waitForLine(t testing.TB, path, line string) {
	t.Helper()
	waitFor(t, line, func() bool {
		raw, err := os.ReadFile(path)
		return err == nil && slices.Contains(strings.Split(string(raw), "\n"), line)
	})
}

func countLines(t testing.TB, path string) int {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(raw), "\n")
}
