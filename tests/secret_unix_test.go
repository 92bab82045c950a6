//go:build unix

package tests

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// What the runtime writes when it dumps the state of the process holds no
// secret, in the middle of a call that carries one, and the servers end.
func TestS09StackOfAllGoroutines(t *testing.T) {
	t.Parallel()
	s := startLogging(t, each(keeping, "hang", "pid", "forkchildren"), "E2E_TOKEN="+hidden, "GOTRACEBACK=all")
	pids := family(t, s, 1)
	s.sendCall("hang", `{"message":`+quoted(hidden)+`}`)
	s.request("ping", `{}`)
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, s); code != 2 {
		t.Errorf("the exit code is %d, want the runtime's 2", code)
	}
	said := s.stderr.String()
	if !strings.Contains(said, "SIGQUIT") || !strings.Contains(said, "goroutine ") {
		t.Errorf("there is no stack: %s", said)
	}
	if found := leaks(said); len(found) > 0 {
		t.Errorf("standard error shows %q:\n%s", found, said)
	}
	allGone(t, pids)
}

// A remote server is named by its host: the rest of an address may be secret, and the
// headers are.
func TestS07AddressOfARemoteServer(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad token "+r.Header.Get("Authorization")+" at "+r.URL.String(), http.StatusUnauthorized)
	}))
	defer refusing.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, server := range []string{refusing.URL, gone.URL} {
		address := strings.Replace(server, "http://", "http://user:${E2E_TOKEN}@", 1) + "/mcp?api_key=${E2E_KEY}"
		graph := strings.Replace(each("", "echo"), "{command: $FAKE}",
			`{type: streamableHttp, allowPrivate: true, url: "`+address+`", headers: {Authorization: "Bearer ${E2E_BEARER}"}}`, 1)
		s := startLogging(t, graph, "E2E_TOKEN=user-info-secret", "E2E_KEY=query-secret", "E2E_BEARER=bearer-secret")
		raw := s.call("echo", `{}`).text(t)
		if !strings.Contains(raw, strings.TrimPrefix(server, "http://")) {
			t.Errorf("the error does not name the host: %s", raw)
		}
		s.end()
		for _, secret := range []string{"user-info-secret", "query-secret", "bearer-secret", "dXNlcjp1c2Vy"} {
			if text := raw + s.stderr.String(); strings.Contains(text, secret) {
				t.Errorf("%s is shown: %s", secret, text)
			}
		}
	}
}
