package tests

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/tests/issuer"
	"toolgraph/tests/testbin"
)

var metadataInChallenge = regexp.MustCompile(`^Bearer resource_metadata="http://localhost:8080(/[^"]*)", scope="tools"$`)

// A client without a token finds the authorization server, and is served with a token of it. The
// audit log has its subject; no token is in any answer or log.
func TestOAuth(t *testing.T) {
	t.Parallel()
	a := issuer.New(t)
	const resource = "http://localhost:8080/mcp"
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	s, addr := startHTTP(t, mirror, []string{"TOOLGRAPH_OAUTH_RESOURCE=" + resource, "TOOLGRAPH_OAUTH_SCOPES=tools"},
		"--oauth-issuer", a.URL, "--audit", log, "--log-level", "debug")

	resp, err := http.Get("http://" + addr + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	found := metadataInChallenge.FindStringSubmatch(resp.Header.Get("WWW-Authenticate"))
	if resp.StatusCode != http.StatusUnauthorized || found == nil {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	if resp, err = http.Get("http://" + addr + found[1]); err != nil {
		t.Fatal(err)
	}
	raw, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q],"scopes_supported":["tools"],"bearer_methods_supported":["header"]}`+"\n", resource, a.URL); string(raw) != want {
		t.Errorf("got %s want %s", raw, want)
	}

	valid := a.Token("alice", resource, "tools other")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"id":1,"ms":0}}}`
	answers := ""
	for _, c := range []struct {
		token string
		want  int
	}{
		{"", 401},
		{"0123456789abcdef", 401},
		{a.Token("alice", "https://other.example.com", "tools"), 401},
		{issuer.New(t).Token("alice", resource, "tools"), 401},
		{a.Token("alice", resource, "other"), 403},
		{valid, 200},
	} {
		status, body := post(t, addr, c.token, call)
		answers += body
		if status != c.want {
			t.Errorf("got %d, want %d: %s", status, c.want, body)
		}
	}
	src, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(src), `"subject":"alice"`) {
		t.Errorf("the audit log has no subject: %v %s", err, src)
	}
	signature := valid[strings.LastIndex(valid, ".")+1:]
	if all := answers + string(src) + s.stderr.String(); strings.Contains(all, signature) || strings.Contains(all, "eyJ") {
		t.Errorf("a token is in an answer or a log: %s", all)
	}
}

// A key belongs to its subject: the same call with the same key is another run for another subject, and the
// same one for the same subject.
func TestX28TwoSubjectsOneKey(t *testing.T) {
	t.Parallel()
	a := issuer.New(t)
	const resource = "http://localhost:8080/mcp"
	state := t.TempDir()
	_, addr := startHTTP(t, mirror, nil, "--oauth-issuer", a.URL, "--oauth-resource", resource, "--state", state)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"id":1,"ms":0},"_meta":{"toolgraph/key":"k"}}}`
	for i, subject := range []string{"alice", "bob", "alice"} {
		if status, body := post(t, addr, a.Token(subject, resource, ""), call); status != http.StatusOK || strings.Contains(body, `"error"`) || strings.Contains(body, `"isError":true`) {
			t.Errorf("%d. call, of %s: %d %s", i+1, subject, status, body)
		}
	}
	out, err := exec.Command(testbin.Build(t, "toolgraph"), "runs", "list", "--state", state).CombinedOutput()
	if n := strings.Count(string(out), "finished"); err != nil || n != 2 {
		t.Errorf("%d runs, expected one of alice and one of bob: %v\n%s", n, err, out)
	}
}

func TestOAuthFlags(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, mirror)
	const http, from, resource = "--http 127.0.0.1:0 ", "--oauth-issuer https://login.example.com ", "--oauth-resource http://localhost:8080/mcp "
	for _, c := range []struct{ flags, want string }{
		{from, "the --oauth-… flags require --http ADDR"},
		{http + resource, "the --oauth-… flags require --oauth-issuer URL, or TOOLGRAPH_OAUTH_ISSUER"},
		{http + from, "--oauth-issuer requires --oauth-resource URL, the address of this server as clients write it, such as http://localhost:8080/mcp or https://HOST/mcp"},
		{http + from + "--oauth-resource tools.example.com", `--oauth-resource is "tools.example.com", expected a URL without query, such as https://HOST/mcp`},
		{http + from + "--oauth-resource http://tools.example.com/mcp", "put a proxy with TLS in front of this server and give its https address"},
		{http + resource + "--oauth-issuer http://login.example.com", `the issuer "http://login.example.com" is not secure; use https`},
		{http + resource + "--oauth-issuer login", `the issuer "login" is not a URL`},
		{http + from + resource + "--oauth-jwks none.json", "none.json"},
		{http + from + resource + `--oauth-scopes a\b`, "has a character that is not allowed in --oauth-issuer, --oauth-audience and --oauth-scopes"},
		{"--http 0.0.0.0:0 --http-allow-remote", "or accept access tokens with --oauth-issuer"},
	} {
		args := append([]string{"serve", "-g", f.path}, strings.Fields(c.flags)...)
		out, err := exec.Command(testbin.Build(t, "toolgraph"), args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.flags, err, out, c.want)
		}
	}
}
