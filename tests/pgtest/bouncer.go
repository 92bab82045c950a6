package pgtest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Bouncer starts PgBouncer before the server, with a pool mode such as "transaction", and returns the URL of a
// database of the server through it. It ends with the test, which is skipped, with the reason, without PgBouncer.
func (s *Server) Bouncer(t testing.TB, database, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("PgBouncer is not installed: pgbouncer is neither in PATH nor in /usr/sbin; install it")
	}
	dir, err := os.MkdirTemp("/tmp", "pgtest-") // as for the server
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	text := strings.NewReplacer("DIR", dir, "SERVER", s.dir, "PORT", s.port(), "MODE", mode).Replace(`[databases]
* = host=SERVER port=PORT
[pgbouncer]
unix_socket_dir = DIR
listen_port = 6432
auth_type = trust
auth_file = DIR/users
pool_mode = MODE
`)
	for name, text := range map[string]string{config: text, filepath.Join(dir, "users"): `"postgres" ""` + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil { //nolint:gosec // another user reads it
			t.Fatal(err)
		}
	}
	guard, stdin, err := guarded(dir, "TERM", program, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // the guard does the rest
		_ = guard.Wait()
	})
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = "host=" + dir + "&port=6432"
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err = os.Stat(filepath.Join(dir, ".s.PGSQL.6432")); err == nil {
			return u.String()
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "log")) // without it when there is none
			t.Fatalf("PgBouncer does not start: %v\n%s", err, log)
		}
	}
}
