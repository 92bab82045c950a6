package temporal

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// front is as much of a Temporal server as a client sees while it connects.
type front struct {
	workflowservice.UnimplementedWorkflowServiceServer
	mu   sync.Mutex // guards what follows
	key  string     // the API key that it requires
	seen []string   // the authorization headers of its requests
}

func (f *front) admit(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	header, _ := metadata.FromIncomingContext(ctx)
	authorization := strings.Join(header.Get("authorization"), " ")
	f.seen = append(f.seen, authorization)
	if f.key != "" && authorization != "Bearer "+f.key {
		return status.Error(codes.Unauthenticated, "the key is not known")
	}
	return nil
}

func (f *front) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, f.admit(ctx)
}

func (f *front) DescribeNamespace(ctx context.Context, r *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	switch r.Namespace {
	case "default", "team":
		return &workflowservice.DescribeNamespaceResponse{}, f.admit(ctx)
	case "secret":
		return nil, serviceerror.ToStatus(serviceerror.NewPermissionDenied("request unauthorized", "")).Err()
	}
	return nil, serviceerror.ToStatus(serviceerror.NewNamespaceNotFound(r.Namespace)).Err()
}

// serve serves until the test ends, and returns the address.
func (f *front) serve(t *testing.T, config *tls.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	server := grpc.NewServer(options...)
	workflowservice.RegisterWorkflowServiceServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// authority is a certificate authority, whose files are in a directory of the test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, newKey(t)
	a.file, _ = a.issue(name, a.cert, a.key)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// certificate issues a certificate for a host, and returns its files.
func (a *authority) certificate(host string, until time.Time) (certFile, keyFile string) {
	return a.issue(host, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, newKey(a.t))
}

func (a *authority) issue(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) (certFile, keyFile string) {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
	writeFile(a.t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	writeFile(a.t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
	return certFile, keyFile
}

// server returns the configuration of a server with a certificate for a host.
func (a *authority) server(host string, until time.Time) *tls.Config {
	a.t.Helper()
	pair, err := tls.LoadX509KeyPair(a.certificate(host, until))
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
}

// mutual is server with clients that need a certificate of the authority.
func (a *authority) mutual(host string) *tls.Config {
	config := a.server(host, time.Now().Add(time.Hour))
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	pem, err := os.ReadFile(a.file)
	if err != nil || !config.ClientCAs.AppendCertsFromPEM(pem) {
		a.t.Fatal(err)
	}
	return config
}

func writeFile(t *testing.T, path string, content []byte, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, content, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// connects dials, and returns the text of the error and what was logged.
func connects(t *testing.T, c connection) (failure, logged string) {
	t.Helper()
	c.patience = time.Second // answers take milliseconds, and refusals are not waited for longer
	var log bytes.Buffer
	connected, err := c.dial(t.Context(), slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), nil)
	if err != nil {
		return err.Error(), log.String()
	}
	connected.Close()
	return "", log.String()
}

// withoutSettings hides the settings of the user who runs the tests.
func withoutSettings(t *testing.T) {
	t.Helper()
	t.Setenv("TEMPORAL_CONFIG_FILE", filepath.Join(t.TempDir(), "none.toml"))
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "TEMPORAL_") && name != "TEMPORAL_CONFIG_FILE" || name == keysVariable {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
}

func TestConnect(t *testing.T) {
	withoutSettings(t)
	ca, other := newAuthority(t, "ca"), newAuthority(t, "other")
	hour := time.Now().Add(time.Hour)
	cert, key := ca.certificate("client", hour)
	strange, strangeKey := other.certificate("client", hour)
	plain := (&front{}).serve(t, nil)
	local := (&front{}).serve(t, ca.server("temporal.test", hour))
	expired := (&front{}).serve(t, ca.server("temporal.test", time.Now().Add(-time.Minute)))
	mutual := (&front{}).serve(t, ca.mutual("temporal.test"))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()

	for name, test := range map[string]struct {
		c    connection
		want string // in the error; "" connects
	}{
		"plain":                  {c: connection{address: plain}},
		"namespace":              {c: connection{address: plain, namespace: "team"}},
		"no namespace":           {c: connection{address: plain, namespace: "tema"}, want: `has no namespace "tema"; name another one with --namespace, or create it: temporal operator namespace create --namespace tema`},
		"namespace not allowed":  {c: connection{address: plain, namespace: "secret"}, want: `does not let this client use namespace "secret"`},
		"nothing listens":        {c: connection{address: closed.Addr().String()}, want: "cannot be reached"},
		"no port":                {c: connection{address: "localhost"}, want: `the address of the Temporal server is "localhost", expected host:port`},
		"TLS":                    {c: connection{address: local, ca: ca.file, serverName: "temporal.test"}},
		"unknown authority":      {c: connection{address: local, tls: true, serverName: "temporal.test"}, want: "name the PEM file of its authority with --tls-ca-path"},
		"another authority":      {c: connection{address: local, ca: other.file, serverName: "temporal.test"}, want: "name the PEM file of its authority with --tls-ca-path"},
		"another name":           {c: connection{address: local, ca: ca.file}, want: "name the host that it is for with --tls-server-name"},
		"expired":                {c: connection{address: expired, ca: ca.file, serverName: "temporal.test"}, want: "the server needs a valid certificate"},
		"plain, server has TLS":  {c: connection{address: local}, want: "requires TLS; add --tls"},
		"TLS, server is plain":   {c: connection{address: plain, tls: true}, want: "does not speak TLS; remove the --tls… flags"},
		"mutual":                 {c: connection{address: mutual, ca: ca.file, serverName: "temporal.test", certificate: cert, key: key}},
		"no certificate":         {c: connection{address: mutual, ca: ca.file, serverName: "temporal.test"}, want: "refuses the certificate of this client"},
		"certificate of another": {c: connection{address: mutual, ca: ca.file, serverName: "temporal.test", certificate: strange, key: strangeKey}, want: "refuses the certificate of this client"},
		"key of another":         {c: connection{address: mutual, ca: ca.file, certificate: cert, key: strangeKey}, want: "expected PEM files"},
		"certificate, no key":    {c: connection{address: mutual, certificate: cert}, want: "other must be present too"},
		"authority is no PEM":    {c: connection{address: mutual, ca: writeFile(t, filepath.Join(t.TempDir(), "ca"), []byte("x"), 0o600)}, want: "expected PEM files"},
		"authority is missing":   {c: connection{address: mutual, ca: filepath.Join(t.TempDir(), "ca")}, want: "expected PEM files"},
		"profile is missing":     {c: connection{address: plain, profile: "prod"}, want: "the settings of Temporal cannot be read: unable to find profile prod"},
		"no keys":                {c: connection{address: plain, keysFile: writeFile(t, filepath.Join(t.TempDir(), "keys"), nil, 0o600)}, want: "has no key, expected lines of an id and 32 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure, _ := connects(t, test.c)
			if test.want == "" && failure != "" || !strings.Contains(failure, test.want) {
				t.Errorf("error %q, expected %q", failure, test.want)
			}
		})
	}
}

// What the flags do not say is in the environment or in Temporal's configuration file.
func TestConnectSettings(t *testing.T) {
	withoutSettings(t)
	ca := newAuthority(t, "ca")
	secured := (&front{}).serve(t, ca.server("temporal.test", time.Now().Add(time.Hour)))
	t.Setenv("TEMPORAL_ADDRESS", secured)
	t.Setenv("TEMPORAL_NAMESPACE", "team")
	t.Setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", ca.file)
	t.Setenv("TEMPORAL_TLS_SERVER_NAME", "temporal.test")
	if failure, _ := connects(t, connection{}); failure != "" {
		t.Error("environment:", failure)
	}
	if failure, _ := connects(t, connection{namespace: "none"}); !strings.Contains(failure, `no namespace "none"`) {
		t.Error("a flag wins over the environment:", failure)
	}
	file := writeFile(t, filepath.Join(t.TempDir(), "temporal.toml"), []byte("[profile.prod]\naddress = \"127.0.0.1:1\"\nnamespace = \"none\"\n"), 0o600)
	if failure, _ := connects(t, connection{configFile: file, profile: "prod"}); failure != "" {
		t.Error("the environment wins over the file:", failure)
	}
	os.Unsetenv("TEMPORAL_NAMESPACE")
	if failure, _ := connects(t, connection{configFile: file, profile: "prod"}); !strings.Contains(failure, `no namespace "none"`) {
		t.Error("file:", failure)
	}
}

// An API key travels in a header, a new one in the file takes its place, and no text has it.
func TestConnectAPIKey(t *testing.T) {
	withoutSettings(t)
	ca := newAuthority(t, "ca")
	server := &front{key: "first-key"}
	c := connection{address: server.serve(t, ca.server("temporal.test", time.Now().Add(time.Hour))), ca: ca.file, serverName: "temporal.test"}
	path := filepath.Join(t.TempDir(), "key")
	c.apiKeyFile = writeFile(t, path, []byte("first-key\n"), 0o600)
	if failure, logged := connects(t, c); failure != "" || strings.Contains(logged, "first-key") {
		t.Error(failure, logged)
	}
	if server.seen[0] != "Bearer first-key" {
		t.Errorf("authorization %q", server.seen)
	}

	connected, err := c.dial(t.Context(), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connected.Close()
	server.mu.Lock()
	server.key = "second-key"
	server.mu.Unlock()
	writeFile(t, path, []byte("second-key\n"), 0o600)
	if _, err := connected.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"}); err != nil {
		t.Error("the key of the file has changed:", err)
	}

	writeFile(t, path, []byte("third-key\n"), 0o600)
	failure, logged := connects(t, c)
	if !strings.Contains(failure, "check the API key (--api-key-file)") || strings.Contains(failure+logged, "third-key") {
		t.Error(failure, logged)
	}

	t.Setenv("TEMPORAL_API_KEY", "second-key")
	c.apiKeyFile = ""
	if failure, logged := connects(t, c); failure != "" || strings.Contains(logged, "second-key") {
		t.Error("environment:", failure, logged)
	}
	t.Setenv("TEMPORAL_TLS", "false")
	if failure, _ := connects(t, connection{address: "temporal.test:7233"}); !strings.Contains(failure, "would travel to temporal.test:7233 in plain text") {
		t.Error("without TLS:", failure)
	}
}

func TestAPIKeyFile(t *testing.T) {
	withoutSettings(t)
	path := filepath.Join(t.TempDir(), "key")
	for content, want := range map[string]string{
		"":                            "has no API key",
		"two words":                   "has no API key",
		"k\x00":                       "has no API key",
		strings.Repeat("k", 64<<10+1): "expected a regular file of at most 65536 bytes",
	} {
		failure, _ := connects(t, connection{apiKeyFile: writeFile(t, path, []byte(content), 0o600)})
		if !strings.Contains(failure, want) || len(failure) > 300 {
			t.Errorf("key %.20q: %s", content, failure)
		}
	}
	if runtime.GOOS != "windows" {
		failure, _ := connects(t, connection{apiKeyFile: writeFile(t, path, []byte("key"), 0o640)})
		if !strings.Contains(failure, "make it private with: chmod 600 ") {
			t.Error(failure)
		}
	}
	if failure, _ := connects(t, connection{apiKeyFile: path + ".none"}); !strings.Contains(failure, "--api-key-file: ") {
		t.Error(failure)
	}
}
