package tests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

const (
	npmHost = "registry.example.test" // nothing but the proxy knows it
	npmUser = "alice:pass%40word-of-the-proxy"
)

// tinyServer is an MCP server without dependencies.
const tinyServer = `#!/usr/bin/env node
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  const result = {
    initialize: {protocolVersion: '2025-11-25', capabilities: {tools: {}}, serverInfo: {name: 'tiny', version: '1.0.0'}},
    'tools/list': {tools: [{name: 'hello', inputSchema: {type: 'object'}}]},
    'tools/call': {content: [{type: 'text', text: 'hello from ' + (process.env.HTTPS_PROXY || 'nowhere')}]},
  }[m.method];
  const answer = result ? {result} : {error: {code: -32601, message: 'no such method'}};
  console.log(JSON.stringify({jsonrpc: '2.0', id: m.id, ...answer}));
});
`

// tinyPackage is the package of the server, as npm packs it.
func tinyPackage(t testing.TB) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	for name, text := range map[string]string{
		"package/package.json": `{"name":"tiny-mcp","version":"1.0.0","bin":{"tiny-mcp":"server.js"}}`, "package/server.js": tinyServer,
	} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// npmRegistry is a registry that has the package.
func npmRegistry(t testing.TB) http.Handler {
	packed := tinyPackage(t)
	sum := sha512.Sum512(packed)
	tarball := "https://" + npmHost + "/tiny-mcp/-/tiny-mcp-1.0.0.tgz"
	about := fmt.Sprintf(`{"name":"tiny-mcp","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"tiny-mcp","version":"1.0.0",
		"bin":{"tiny-mcp":"server.js"},"dist":{"tarball":%q,"integrity":"sha512-%s"}}}}`, tarball, base64.StdEncoding.EncodeToString(sum[:]))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tiny-mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(about))
	})
	mux.HandleFunc("GET /tiny-mcp/-/tiny-mcp-1.0.0.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) })
	return mux
}

// ownAuthority makes a certificate authority and a certificate of it for a host, and writes
// the authority's to a file.
func ownAuthority(t testing.TB, host string) (file string, leaf tls.Certificate) {
	t.Helper()
	sign := func(template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if parentKey == nil {
			parentKey = key
		}
		raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
		if err != nil {
			t.Fatal(err)
		}
		return raw, key
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the proxy"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootRaw, rootKey := sign(authority, authority, nil)
	leafRaw, leafKey := sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, rootKey)
	file = filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootRaw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, tls.Certificate{Certificate: [][]byte{leafRaw, rootRaw}, PrivateKey: leafKey}
}

// terminatingProxy is a proxy that wants a password and ends the TLS of what goes through
// it, with a certificate that only those trust who know its authority.
type terminatingProxy struct {
	behind   *httptest.Server // ends TLS and answers
	tunnels  atomic.Int64
	requests atomic.Int64 // that came through them
}

func newTerminatingProxy(t testing.TB, leaf tls.Certificate, registry http.Handler) (proxy *terminatingProxy, address string) {
	p := &terminatingProxy{}
	p.behind = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.requests.Add(1)
		registry.ServeHTTP(w, r)
	}))
	p.behind.TLS = &tls.Config{Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS12}
	p.behind.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are refused, as they should be
	p.behind.StartTLS()
	t.Cleanup(p.behind.Close)
	listening := httptest.NewServer(p)
	t.Cleanup(listening.Close)
	return p, strings.TrimPrefix(listening.URL, "http://")
}

func (p *terminatingProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wanted := "Basic " + base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(npmUser, "%40", "@")))
	if r.Method != http.MethodConnect || r.Host != npmHost+":443" || r.Header.Get("Proxy-Authorization") != wanted {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	inside, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.behind.Listener.Addr().String())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer inside.Close()
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	p.tunnels.Add(1)
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var out sync.WaitGroup
	out.Go(func() {
		_, _ = io.Copy(inside, buffered) // until the client closes
		_ = inside.Close()
	})
	_, _ = io.Copy(client, inside)
	_ = client.Close()
	out.Wait()
}

// npxGraph takes npm's own settings of the machine out of the test, and nothing else: one
// may name authorities of its own, in whose place the variable then does not count.
const npxGraph = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers:
  tiny: {command: npx, args: ["-y", tiny-mcp@1.0.0], startTimeoutMs: 120000, env: {npm_config_fetch_retries: "0", npm_config_update_notifier: "false", npm_config_globalconfig: "${NOTHING}"}}
tools:
- name: hello
  description: calls the server of a package
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: tiny, tool: hello, next: exit}
  - {id: exit, type: exit}
`

// A server that npx fetches starts behind a proxy that wants a password and ends TLS, by
// what the host has in its environment alone: nothing of it is in the graph file.
func TestServerOfNpxBehindATerminatingProxy(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npx"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	authority, leaf := ownAuthority(t, npmHost)
	for _, c := range []struct {
		name    string
		without string // a variable that the host does not have
		starts  bool
	}{
		{"as the host is set up", "", true},
		{"without the authority", "NODE_EXTRA_CA_CERTS", false},
		{"without the proxy", "HTTPS_PROXY", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			proxy, address := newTerminatingProxy(t, leaf, npmRegistry(t))
			dir := t.TempDir()
			writeAll(t, dir, map[string]string{"graph.yaml": npxGraph})
			cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", "graph.yaml", "hello", "--trace", "--log-level", "debug")
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "NOTHING=" + filepath.Join(dir, "none"), "TOOLGRAPH_STATE=" + filepath.Join(dir, "state")}
			for name, value := range map[string]string{
				"NODE_EXTRA_CA_CERTS": authority, "HTTPS_PROXY": "http://" + npmUser + "@" + address,
				"npm_config_registry": "https://" + npmHost + "/", "npm_config_cache": filepath.Join(dir, "cache"),
			} {
				if name != c.without {
					cmd.Env = append(cmd.Env, name+"="+value)
				}
			}
			out, err := cmd.CombinedOutput()
			started := strings.Contains(string(out), "hello from http://[redacted]@127.0.0.1:")
			if started != c.starts || (err == nil) != c.starts {
				t.Errorf("%v: %s", err, out)
			}
			if c.starts && proxy.requests.Load() < 2 {
				t.Errorf("%d requests came through the proxy, expected one for the package and one for its files", proxy.requests.Load())
			}
			if reached := proxy.tunnels.Load() > 0; reached == (c.without == "HTTPS_PROXY") {
				t.Errorf("the proxy was reached: %v: %s", reached, out)
			}
			if !c.starts && (proxy.requests.Load() != 0 || !strings.Contains(string(out), `server "tiny"`)) {
				t.Errorf("%d requests came through the proxy, expected none: %s", proxy.requests.Load(), out)
			}
			for _, secret := range []string{"pass%40word", "pass@word", base64.StdEncoding.EncodeToString([]byte("alice:pass@word-of"))[:16]} {
				if strings.Contains(string(out), secret) {
					t.Errorf("the output shows %q: %s", secret, out)
				}
			}
		})
	}
}
