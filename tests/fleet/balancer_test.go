//go:build unix

package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// balancer gives requests to processes; it can be killed and started again at its address.
type balancer interface {
	start()
	kill()
}

// startBalancer starts HAProxy with the configuration of docs/scaling.md where it is installed, else the balancer of this
// test. It ends with the test.
func startBalancer(t *testing.T, at string, behind []string) (b balancer, name string) {
	if program := haproxyProgram(); program != "" {
		b, name = &haproxy{t: t, program: program, at: at, file: haproxyFile(t, at, behind)}, "HAProxy"
	} else {
		b, name = newOwn(t, at, behind), "the balancer of this test, since HAProxy is not installed"
	}
	b.start()
	t.Cleanup(b.kill)
	return b, name
}

// haproxyProgram returns HAProxy; empty: it is not installed. Debian's package has it outside of the PATH of users.
func haproxyProgram() string {
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// haproxyFile writes the configuration that the documentation has, with these addresses.
func haproxyFile(t *testing.T, at string, behind []string) string {
	t.Helper()
	text := docBlock(t, "HAProxy does all of this:")
	replaced := []string{"bind :8080", "bind " + at}
	for i, name := range []string{"one", "two", "three"} {
		replaced = append(replaced, name+":8080", behind[i])
	}
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(text, replaced[i]) {
			t.Fatalf("the configuration of docs/scaling.md has no %q", replaced[i])
		}
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replaced...).Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// docBlock returns the first block of code of docs/scaling.md after a line.
func docBlock(t *testing.T, after string) string {
	t.Helper()
	src, err := os.ReadFile("../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(src), "\n"+after+"\n")
	_, rest, begins := strings.Cut(rest, "\n```")
	_, rest, _ = strings.Cut(rest, "\n") // the language
	block, _, ends := strings.Cut(rest, "\n```")
	if !found || !begins || !ends {
		t.Fatalf("docs/scaling.md has no block of code after %q", after)
	}
	return block + "\n"
}

// haproxy is a process of HAProxy.
type haproxy struct {
	t                 *testing.T
	program, at, file string
	cmd               *exec.Cmd
}

func (h *haproxy) start() {
	var said bytes.Buffer
	h.cmd = exec.CommandContext(context.Background(), h.program, "-db", "-f", h.file)
	h.cmd.Stderr = &said
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("tcp", h.at); err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("HAProxy does not listen: %s", said.String())
		}
	}
}

func (h *haproxy) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait() // it was killed
}

// own is a balancer for machines without HAProxy: it gives a request to the next process that is ready, and again to
// another one when the connection is refused or the process answers 503.
type own struct {
	t      *testing.T
	at     string
	behind []string
	turn   atomic.Int64
	server *httptest.Server
}

func newOwn(t *testing.T, at string, behind []string) *own { return &own{t: t, at: at, behind: behind} }

func (o *own) start() {
	l, err := net.Listen("tcp", o.at)
	if err != nil {
		o.t.Fatal(err)
	}
	o.server = httptest.NewUnstartedServer(o)
	_ = o.server.Listener.Close()
	o.server.Listener = l
	o.server.Start()
}

func (o *own) kill() {
	o.server.CloseClientConnections()
	o.server.Close()
}

// unready is the answer of a process that takes no calls, or of none.
var errUnready = errors.New("no process takes the request")

// ServeHTTP passes a request on.
func (o *own) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	first := int(o.turn.Add(1))
	for i := range o.behind {
		resp, err := o.pass(r, o.behind[(first+i)%len(o.behind)], body)
		if errors.Is(err, errUnready) {
			continue
		}
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body) // the client sees where it ends
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

func (o *own) pass(r *http.Request, to string, body []byte) (*http.Response, error) {
	ready, err := (&http.Client{Timeout: 2 * time.Second}).Get("http://" + to + "/readyz")
	if err != nil {
		return nil, errUnready
	}
	_ = ready.Body.Close()
	if ready.StatusCode != http.StatusOK {
		return nil, errUnready
	}
	passed, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+to+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	passed.Header = r.Header.Clone()
	resp, err := http.DefaultTransport.RoundTrip(passed)
	var failed *net.OpError
	if errors.As(err, &failed) && failed.Op == "dial" {
		return nil, errUnready
	}
	if err == nil && resp.StatusCode == http.StatusServiceUnavailable {
		_ = resp.Body.Close()
		return nil, errUnready
	}
	return resp, err
}
