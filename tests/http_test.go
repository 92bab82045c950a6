package tests

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// N05: an address that other machines reach takes a flag and a token; nothing listens
// before both are there.
func TestN05RemoteAddress(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, mirror)
	token := filepath.Join(t.TempDir(), "token")
	short := filepath.Join(t.TempDir(), "short")
	for path, content := range map[string]string{token: "0123456789abcdef\n", short: "secret"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags, want string
	}{
		{"--http 0.0.0.0:0", "other machines can reach --http 0.0.0.0:0; listen on 127.0.0.1:0, or add --http-allow-remote and a token"},
		{"--http [::]:0", "other machines can reach --http"},
		{"--http 192.0.2.1:8080 --http-token-file " + token, "other machines can reach --http"},
		{"--http 0.0.0.0:0 --http-allow-remote", "--http-allow-remote requires a token; name its file with --http-token-file, or set TOOLGRAPH_HTTP_TOKEN"},
		{"--http 0.0.0.0:0 --http-allow-remote --http-token-file " + short, "has 6 characters, expected at least 16"},
		{"--http 0.0.0.0:0 --http-allow-remote --http-token-file " + filepath.Dir(token), "is not a token file"},
		{"--http nowhere", `--http is "nowhere", expected HOST:PORT or :PORT`},
		{"--http-token-file " + token, "the --http-… flags require --http ADDR"},
		{"--http-trusted-proxy 10.0.0.1", "the --http-… flags require --http ADDR"},
		{"--http :0 --http-trusted-proxy proxy", `--http-trusted-proxy is "proxy", expected an address such as 10.0.0.5 or a network such as 10.0.0.0/24`},
	} {
		args := append([]string{"serve", "-g", f.path}, strings.Fields(c.flags)...)
		out, err := exec.Command(testbin.Build(t, "toolgraph"), args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "secret") {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.flags, err, out, c.want)
		}
	}
}

var httpAddress = regexp.MustCompile(`http://(\S+)/mcp`)

// startHTTP serves a graph over HTTP, and is the host and port.
func startHTTP(t *testing.T, graph string, env []string, args ...string) (s *session, addr string) {
	t.Helper()
	f := newGraphFile(t, graph)
	s = startCommand(t, env, append([]string{"serve", "-g", f.path, "--http", "127.0.0.1:0"}, args...)...)
	t.Cleanup(func() { _ = s.cmd.Process.Signal(os.Interrupt) }) // the end of its input says nothing to it
	for end := time.Now().Add(answerTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if found := httpAddress.FindStringSubmatch(s.stderr.String()); found != nil {
			return s, found[1]
		}
	}
	t.Fatalf("the server does not tell its address: %s", s.stderr)
	return nil, ""
}

func post(t testing.TB, addr, token, message string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(raw)
}

// Many hosts at once, each call with its own answer; at a signal, what is in flight is
// answered and the process ends with 0.
func TestServeHTTP(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	g := newGate(t)
	s, addr := startHTTP(t, strings.Replace(mirror, "maxInFlight: 16", "args: ["+g.args()+"]", 1)+strings.SplitN(g.holding(""), "tools:\n", 2)[1], []string{"TOOLGRAPH_HTTP_TOKEN=" + token}, "--log-level", "debug")
	if status, _ := post(t, addr, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			_, body := post(t, addr, token, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mirror","arguments":{"id":%d,"ms":0}}}`, i, i))
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{\"id\":%d,\"entry\":%d}"}]`, i, i, i); !strings.HasPrefix(body, want) {
				t.Errorf("call %d gave %s", i, body)
			}
		})
	}
	all.Wait()
	last := make(chan string, 1)
	go func() {
		_, body := post(t, addr, token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold","arguments":{"id":7}}}`)
		last <- body
	}()
	g.wait("in ", 1)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is not ready for other calls", func() bool {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			return true
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusServiceUnavailable
	})
	g.open()
	if body := <-last; !strings.Contains(body, `{\"id\":7,\"entry\":7}`) {
		t.Errorf("the last call gave %s", body)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(s.stderr.String(), token) {
		t.Errorf("the log has the token: %s", s.stderr)
	}
}

// One graph calls another by HTTP, in either era.
func TestServeHTTPToAGraph(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	_, addr := startHTTP(t, mirror, []string{"TOOLGRAPH_HTTP_TOKEN=" + token})
	for _, protocol := range []string{"auto", "legacy", "modern"} {
		s := start(t, `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers:
  there:
    type: streamableHttp
    url: "http://`+addr+`/mcp"
    headers: {Authorization: "Bearer ${TOKEN}"}
    protocol: `+protocol+`
tools:
- name: go
  description: calls a graph elsewhere
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: there, tool: mirror, args: {id: 3, ms: 0}, next: exit}
  - {id: exit, type: exit}
`, "TOKEN="+token)
		if got := s.call("go", `{}`).text(t); got != `{"id":3,"entry":3}` {
			t.Errorf("%s: %s", protocol, got)
		}
	}
}

// A loopback address that a file names needs no allowPrivate, in the graph file and in
// that of -m; one that a variable makes does.
func TestN08LoopbackThatTheFileNames(t *testing.T) {
	t.Parallel()
	_, addr := startHTTP(t, mirror, nil)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		url, more string // in the graph file, and in that of -m
		reached   bool
	}{
		"graph":             {"http://" + addr + "/mcp", "", true},
		"servers":           {"", "http://" + addr + "/mcp", true},
		"localhost":         {"", "http://localhost:" + port + "/mcp", true},
		"default":           {"${UNSET_URL:-http://" + addr + "/mcp}", "", true},
		"variable":          {"${THERE}", "", false},
		"variable port":     {"http://127.0.0.1:${PORT}/mcp", "", false},
		"variable servers":  {"", "${THERE}", false},
		"mapped":            {"http://[::ffff:127.0.0.1]:" + port + "/mcp", "", false},
		"decimal":           {"http://2130706433:" + port + "/mcp", "", false},
		"unspecified":       {"http://0.0.0.0:" + port + "/mcp", "", false},
		"link-local server": {"", "http://169.254.169.254/mcp", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			servers := ""
			if c.url != "" {
				servers = "mcpServers:\n  there: {type: streamableHttp, url: \"" + c.url + "\"}\n"
			}
			graph := `version: "1.0"
server: {name: test, version: 1.0.0}
` + servers + `tools:
- name: go
  description: calls a graph elsewhere
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: there, tool: mirror, args: {id: 3, ms: 0}, next: exit}
  - {id: exit, type: exit}
`
			args := []string{"-g", filepath.Join(dir, "graph.yaml")}
			more := filepath.Join(dir, "servers.json")
			if c.more != "" {
				args = append(args, "-m", more)
			}
			for path, content := range map[string]string{args[1]: graph, more: `{"mcpServers":{"there":{"type":"http","url":"` + c.more + `"}}}`} {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := startCommand(t, []string{"THERE=http://" + addr + "/mcp", "PORT=" + port}, args...)
			s.handshake()
			got := s.call("go", `{}`)
			switch {
			case c.reached:
				if got.text(t) != `{"id":3,"entry":3}` {
					t.Errorf("got %s", got.text(t))
				}
			case !got.IsError:
				t.Errorf("reached: %s", got.text(t))
			case name == "decimal": // some systems read it as an address, others look it up
			case name == "link-local server":
				if text := got.text(t); !strings.Contains(text, "never contacted") || strings.Contains(text, "allowPrivate") {
					t.Errorf("got %s", text)
				}
			case !strings.Contains(got.text(t), "if that is intended, add allowPrivate: true to the server"):
				t.Errorf("got %s", got.text(t))
			}
		})
	}
}

// With the flag and a token, other machines are served; who asks by which name is the
// token's business.
func TestServeHTTPRemote(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	_, addr := startHTTP(t, mirror, []string{"TOOLGRAPH_HTTP_TOKEN=" + token}, "--http", "0.0.0.0:0", "--http-allow-remote")
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if status, _ := post(t, "127.0.0.1:"+port, "", ping); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	if status, body := post(t, "127.0.0.1:"+port, token, ping); status != http.StatusOK {
		t.Errorf("with the token: %d %s", status, body)
	}
}
