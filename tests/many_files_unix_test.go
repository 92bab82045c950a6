//go:build unix

package tests

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "toolgraph/execution/journal/postgres" // the driver
	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

const (
	manyFiles       = 200
	mostConnections = 10 // of a process
)

// A process with many graph files has as few connections to its database as one with a single file, also after a call of each file.
func TestManyFilesOverPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	place, dir := server.URL(t), t.TempDir()
	for i := range manyFiles {
		src := fmt.Sprintf(`version: "1.0"
server: {name: file%[1]d, version: 1.0.0}
tools: [{name: say, description: says its number, nodes: [{id: entry, type: entry, next: n}, {id: n, type: transform, transform: {expr: "%[1]d"}, next: exit}, {id: exit, type: exit}]}]
`, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.yaml", i)), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "serve", dir, "--http", "127.0.0.1:0", "--watch", "--resume", "--state", place)
	stderr := &lockedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("at the end: %v, %s", err, stderr)
		}
	}()
	address := ""
	for end := time.Now().Add(time.Minute); address == ""; time.Sleep(5 * time.Millisecond) {
		if found := regexp.MustCompile(`http://[\d.:]+`).FindString(stderr.String()); found != "" {
			address = found
		} else if time.Now().After(end) {
			t.Fatalf("no address: %s", stderr)
		}
	}
	for i := range manyFiles {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{},"_meta":{"toolgraph/key":"k%d"}}}`, i)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("%s/f%d/mcp", address, i), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !bytes.Contains(answer, fmt.Appendf(nil, `"text":"%d"`, i)) {
			t.Fatalf("file %d: %s", i, answer)
		}
	}
	db, err := sql.Open("pgx", place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var connections, runs int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&connections); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRowContext(t.Context(), `SELECT count(DISTINCT server) FROM toolgraph.runs WHERE status = 'finished'`).Scan(&runs); err != nil {
		t.Fatal(err)
	}
	if runs != manyFiles || connections > mostConnections {
		t.Errorf("%d files have runs, %d connections", runs, connections)
	}
	t.Logf("%d connections for %d files", connections, manyFiles)
}
