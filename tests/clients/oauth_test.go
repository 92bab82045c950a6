package clients

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/issuer"
	"toolgraph/tests/testbin"
)

// oauthJob is what testdata/oauth.mjs is to do.
type oauthJob struct {
	URL    string `json:"url"`
	SDK    int    `json:"sdk"`
	Client string `json:"client"` // its id; "" if it must register
	Token  string `json:"token"`
}

// connected is what the client has seen.
type connected struct {
	Login  string   `json:"login"`
	Thrown string   `json:"thrown"`
	Tools  []string `json:"tools"`
}

func connectBySDK(t *testing.T, modules string, j oauthJob) (seen connected) {
	t.Helper()
	script, err := filepath.Abs("testdata/oauth.mjs")
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = filepath.Dir(modules), bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return seen
}

// serveExample serves an example over HTTP at a free port, until the test ends, and returns its URL.
func serveExample(t *testing.T, env []string, flags func(url string) []string) string {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := on.Addr().String()
	_ = on.Close()
	s := newSurroundings(t)
	address := "http://" + addr + "/mcp"
	cmd := exec.Command(testbin.Build(t, "toolgraph"), append([]string{"serve", "-g", filepath.Join(s.examples, "01-count-files.yaml"), "--http", addr}, flags(address)...)...) //nolint:gosec // of the test itself
	cmd.Env = slices.Concat(s.env, env)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
			return address
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// The SDK finds the authorization server from a 401, asks it for a token for this server, and is
// served with that. Without OAuth it says what the user can do.
func TestLoginThroughTheTypeScriptSDK(t *testing.T) {
	for version, pkg := range map[int]string{1: sdkPackage, 2: newerSDKPackage} {
		t.Run(pkg, func(t *testing.T) {
			modules := modules(t, pkg)
			from := issuer.New(t)
			address := serveExample(t, nil, func(url string) []string {
				return []string{"--oauth-issuer", from.URL, "--oauth-resource", url, "--oauth-scopes", "tools"}
			})
			seen := connectBySDK(t, modules, oauthJob{URL: address, SDK: version, Client: "c"})
			login, err := url.Parse(seen.Login)
			if err != nil || !strings.HasPrefix(seen.Login, from.URL+"/authorize?") || login.Query().Get("resource") != address || login.Query().Get("scope") != "tools" {
				t.Errorf("the client logs in at %q: %s", seen.Login, seen.Thrown)
			}
			seen = connectBySDK(t, modules, oauthJob{URL: address, SDK: version, Client: "c", Token: from.Token("alice", address, "tools")})
			if !slices.Contains(seen.Tools, "count_files") {
				t.Errorf("with a token: %+v", seen)
			}
			address = serveExample(t, []string{"TOOLGRAPH_HTTP_TOKEN=0123456789abcdef"}, func(string) []string { return nil })
			if seen := connectBySDK(t, modules, oauthJob{URL: address, SDK: version}); !strings.Contains(seen.Thrown, "configure the client to send it in the Authorization header") {
				t.Errorf("without OAuth: %+v", seen)
			}
		})
	}
}
