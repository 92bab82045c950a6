package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Server is a Postgres server on a Unix socket in a directory of its own.
type Server struct {
	dir      string
	settings []string
	stdin    io.WriteCloser // of the guard; nil: stopped
	guard    *exec.Cmd
}

// guardScript starts a server and waits for a word on its input: the signal with which to end the
// server. The end of the input means that the test process has died or needs the server no more: then the
// server gets the signal of the arguments, and the directory is removed too.
const guardScript = `
dir=$1 end=$2; shift 2
"$@" >>"$dir/log" 2>&1 </dev/null &
pid=$!
read -r signal; more=$?
kill -"${signal:-$end}" $pid
wait $pid
[ $more = 0 ] || rm -rf "$dir"
`

// programs returns the directory of Postgres's programs; empty when there is none.
func programs() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is valid
	if len(found) == 0 {
		return ""
	}
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })
	return filepath.Dir(found[len(found)-1])
}

// missing returns why no server can be started; empty when one can.
func missing() string {
	if runtime.GOOS == "windows" {
		return "the tests start Postgres on Unix only"
	}
	if programs() == "" {
		return "Postgres is not installed: initdb is neither in PATH nor in /usr/lib/postgresql/*/bin; install postgresql, or set TOOLGRAPH_POSTGRES to the URL of a server"
	}
	return ""
}

func start(settings ...string) (*Server, error) {
	dir, err := os.MkdirTemp("/tmp", "pgtest-") // the path of a socket is short, and another user may enter
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, settings: settings}
	initdb := exec.CommandContext(context.Background(), filepath.Join(programs(), "initdb"), "-D", filepath.Join(dir, "data"),
		"-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	initdb.Dir = dir
	if err := give(initdb, dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	if err := s.Start(); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// Start starts a server that was stopped, and returns when it takes connections.
func (s *Server) Start() error {
	args := []string{
		filepath.Join(programs(), "postgres"), "-D", filepath.Join(s.dir, "data"), "-k", s.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200", "-c", "shared_buffers=32MB",
	}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	var err error
	if s.guard, s.stdin, err = guarded(s.dir, "QUIT", args...); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := execute(s.admin(), "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // without it when there is none
			return fmt.Errorf("the Postgres server does not take connections: %w\n%s", err, log)
		}
	}
}

// guarded starts a program whose directory is dir, under guardScript. The signal end ends it.
func guarded(dir, end string, args ...string) (*exec.Cmd, io.WriteCloser, error) {
	guard := exec.CommandContext(context.Background(), "/bin/sh", append([]string{"-c", guardScript, "guard", dir, end}, args...)...)
	guard.Dir = dir
	if err := give(guard, dir); err != nil {
		return nil, nil, err
	}
	stdin, err := guard.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	return guard, stdin, guard.Start()
}

// Stop ends the server: its connections are closed, its data stays.
func (s *Server) Stop() error { return s.end("INT\n") }

// Kill ends the server as a crash does.
func (s *Server) Kill() error { return s.end("QUIT\n") }

func (s *Server) end(signal string) error {
	if s.stdin == nil {
		return nil
	}
	_, err := io.WriteString(s.stdin, signal)
	err = errors.Join(err, s.stdin.Close(), s.guard.Wait())
	s.stdin, s.guard = nil, nil
	return err
}

// remove ends the server and removes its data.
func (s *Server) remove() {
	if s.stdin == nil {
		_ = os.RemoveAll(s.dir)
		return
	}
	_ = s.stdin.Close() // the guard does the rest
	_ = s.guard.Wait()
	s.stdin, s.guard = nil, nil
}

// PID returns the process of a server that runs; those of its connections are its children.
func (s *Server) PID() (int, error) {
	src, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(src), "\n")
	return strconv.Atoi(line)
}

// admin returns the URL of the database that each server has.
func (s *Server) admin() string {
	admin := "postgres://postgres@/postgres?host=" + s.dir
	if port := s.port(); port != defaultPort {
		admin += "&port=" + port
	}
	return admin
}

const defaultPort = "5432"

// port returns the port of the server, which is also a part of the name of its socket.
func (s *Server) port() string {
	for _, setting := range s.settings {
		if port, ok := strings.CutPrefix(setting, "port="); ok {
			return port
		}
	}
	return defaultPort
}
