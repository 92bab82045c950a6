package mcpclient

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

func TestWithheldVariables(t *testing.T) {
	u := &config.Upstream{
		Name: text("issues"), Command: text("npx"), Args: []config.Text{text("-y"), text("@modelcontextprotocol/server-github@1.2.3")},
		Env: []config.Setting{{Name: text("LISTED_TOKEN"), Value: text("x")}},
	}
	ours := []string{
		"ZED=1", "PATH=/bin", "HTTPS_PROXY=x", "no_proxy=x", "npm_config_cache=x", "LC_ALL=C", "LISTED_TOKEN=x", "PWD=/", "SSH_AUTH_SOCK=x", "_=x",
		"XDG_RUNTIME_DIR=x", "LESSOPEN=x", "GITHUB_TOKEN=hunter2", "AWS_PROFILE=x", "all_proxy=x", "=C:=x", "BASH_FUNC_x%%=()", "ISSUES_AT=x", "ZED=2",
	}
	got := withheld(ours, u)
	if want := []string{"GITHUB_TOKEN", "ISSUES_AT", "AWS_PROFILE", "all_proxy", "ZED"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	hint := withheldHint(append(got, "A", "B", "C", "D", "E", "F", "G", "H", "I"))
	if want := "GITHUB_TOKEN, ISSUES_AT, AWS_PROFILE, all_proxy, ZED, A, B, C, D, E, F, G and 2 more; "; !strings.Contains(hint, want) || !strings.Contains(hint, `env: {GITHUB_TOKEN: "${GITHUB_TOKEN}"}`) {
		t.Errorf("got %s", hint)
	}
	if got := withheldHint(nil); got != "" {
		t.Errorf("without any: %q", got)
	}
}

// A start that times out names the variables that the server was not given, and never
// their values; a server that says why it ended is believed.
func TestStartTimeoutNamesVariables(t *testing.T) {
	t.Setenv("FAKE_SERVICE_KEY", "hunter2-hunter2")
	var log strings.Builder
	p := pool(t, fake(t, "noinit"), WithLogger(slog.New(slog.NewTextHandler(&log, nil))), withAdjust(func(s *settings) { s.StartTimeout = 50 * time.Millisecond }))
	e := mustFail(t, p, "text", `{}`, CodeServerStart)
	if !strings.Contains(e.Message, "did not answer the handshake") || !strings.Contains(e.Hint, "without these variables of the environment: FAKE_SERVICE_KEY") || strings.Contains(e.Error(), "hunter2") {
		t.Errorf("got %v", e)
	}
	if !strings.Contains(log.String(), `error="server \"fake\": did not answer the handshake`) {
		t.Errorf("logged %s", log.String())
	}
}

// X21: a server that dies in the handshake is reported with its reason first, and with the phase; only
// the variables that it speaks of are named.
func TestX21ReasonFirst(t *testing.T) {
	t.Setenv("FAKE_SERVICE_KEY", "hunter2-hunter2")
	t.Setenv("UNRELATED_VARIABLE", "x")
	for said, want := range map[string]string{
		"FAKE_SERVICE_KEY is required": "FAKE_SERVICE_KEY; if it needs one",
		"the licence has expired":      "",
		"MY_FAKE_SERVICE_KEY_2 is bad": "",
	} {
		u := &config.Upstream{Name: text("fake"), Transport: config.Stdio, Command: text("sh"), Args: []config.Text{text("-c"), text("echo '" + said + "' >&2; exit 3")}}
		e := mustFail(t, pool(t, u), "text", `{}`, CodeServerStart)
		head, hint, _ := strings.Cut(e.Error(), "\n  stderr: "+said)
		if !strings.HasSuffix(head, "did not start: the server's process exited with status 3 during the handshake (initialize)") ||
			strings.Contains(e.Error(), "UNRELATED_VARIABLE") || (want == "") != (hint == "") || !strings.Contains(hint, want) {
			t.Errorf("%s gives %s", said, e)
		}
	}
}
