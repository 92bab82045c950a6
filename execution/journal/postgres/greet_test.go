package postgres_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// A pooler whose transactions have any session is refused by the first statement, and leaves no setting in
// sessions of others. One that keeps a session for a client works.
func TestPooler(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	direct := server.URL(t)
	for mode, want := range map[string]string{
		"transaction": "set pool_mode=session for this database (PgBouncer), or name the server itself with --state",
		"statement":   "transaction blocks not allowed in statement pooling mode",
	} {
		pooled := server.Bouncer(t, direct, mode)
		s := open(t, pooled, journal.Options{}, postgres.Timing{})
		for range 3 { // the error stays
			if _, err := s.List(t.Context(), journal.Filter{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", mode, err)
			}
		}
		path := query[string](t, pooled+"&default_query_exec_mode=simple_protocol", `SHOW search_path`)
		if strings.Contains(path, "toolgraph") {
			t.Errorf("%s: another client of the pooler has the search_path %s", mode, path)
		}
	}
	s := open(t, server.Bouncer(t, direct, "session"), journal.Options{}, postgres.Timing{})
	record(t, s, events("RUN", "in", "out")...)
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 1 {
		t.Error(ids(runs), err)
	}
}

// authority returns a certificate of its own for "localhost", with its key.
func authority(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}))
}

// With sslmode=verify-full a server is believed by its certificate only, and errors say what to do.
func TestCertificate(t *testing.T) {
	t.Parallel()
	first, err := testbin.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(first)
	server := pgtest.Start(t, "listen_addresses=127.0.0.1", "port="+port)
	socket := server.URL(t)
	u, err := url.Parse(socket)
	if err != nil {
		t.Fatal(err)
	}
	at := func(host, settings string) string {
		return fmt.Sprintf("postgres://postgres@%s%s?%s", net.JoinHostPort(host, port), u.Path, settings)
	}
	list := func(url string) error {
		_, err := open(t, url, journal.Options{}, postgres.Timing{}).List(t.Context(), journal.Filter{})
		return err
	}
	if err := list(at("localhost", "sslmode=verify-full")); err == nil || !strings.Contains(err.Error(), "cannot be reached") || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("a server without TLS: %v", err)
	}

	certificate, key := authority(t)
	for name, text := range map[string]string{"server.crt": certificate, "server.key": key} {
		change(t, socket, `COPY (SELECT unnest(string_to_array('`+text+`', E'\n'))) TO PROGRAM 'umask 077; cat >`+name+`'`)
	}
	change(t, socket, `ALTER SYSTEM SET ssl = on`)
	change(t, socket, `SELECT pg_reload_conf()`)
	root := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(root, []byte(certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := "sslmode=verify-full&sslrootcert=" + url.QueryEscape(root)
	until(t, "the server has TLS", func() bool { return list(at("localhost", trusted)) == nil })
	s := open(t, at("localhost", trusted), journal.Options{}, postgres.Timing{})
	record(t, s, events("RUN", "in", "out")...)
	if n := query[int](t, socket, `SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'toolgraph' AND NOT ssl`); n != 0 {
		t.Errorf("%d connections without TLS", n)
	}
	for what, url := range map[string]string{
		"another CA":   at("localhost", "sslmode=verify-full"),
		"another name": at("127.0.0.1", trusted),
	} {
		if err := list(url); err == nil || !strings.Contains(err.Error(), "has a certificate that is not trusted") || !strings.Contains(err.Error(), "name the file of its CA with sslrootcert") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
