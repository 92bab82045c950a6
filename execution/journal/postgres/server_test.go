package postgres_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/expressions/value"
	"toolgraph/tests/pgtest"
)

type ctx = context.Context

// log is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// While the server is down runs go on, only calls that are not safe to repeat are refused; once it is
// back, all is recorded. No process is taken for dead because the server was down.
func TestServerStops(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.URL(t)
	var said logged
	s := open(t, url, journal.Options{Logger: slog.New(slog.NewTextHandler(&said, nil))}, postgres.Timing{})
	durable := open(t, url, journal.Options{Durable: true}, postgres.Timing{})
	j := s.Journal(nil, about)
	all := events("RUN", "in", "out")
	record(t, s, all[:2]...)
	record(t, durable, events("DURABLE", "in", "out")[:1]...)
	for before, stop := range []func() error{server.Stop, server.Kill} {
		change(t, url, "CHECKPOINT") // what a crash loses is TestLostCommits
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if err := j.Append(t.Context(), all[2]); err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup // each gives up after a while
		waiting.Go(func() {
			if err := j.Append(t.Context(), call("RUN")); err == nil || !strings.Contains(err.Error(), "the call is not safe to repeat and cannot be recorded before it is made") {
				t.Errorf("the call is made: %v", err)
			}
		})
		waiting.Go(func() {
			if err := try(t, durable, call("DURABLE")); err == nil || !strings.Contains(err.Error(), "--durable: the run cannot be recorded") {
				t.Errorf("the durable run goes on: %v", err)
			}
		})
		waiting.Wait()
		if _, err := s.List(t.Context(), journal.Filter{}); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
			t.Errorf("runs are listed: %v", err)
		}
		if h := s.Health(); h.WriteErrors == 0 || h.ReadErrors == 0 || h.Queued == 0 || h.Waited == 0 {
			t.Errorf("while the server is down: %+v", h)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "history is written again", func() bool { return said.count("run history is written again") > before })
		if err := s.Flush(t.Context(), "RUN"); err != nil { // what is not on the disk, a killed server loses: TestServerForgets
			t.Fatal(err)
		}
	}
	eventsOf(t, s, "RUN") // it has no hole
	r, err := s.Run(t.Context(), "RUN")
	if err != nil || r.Status != journal.Running || r.Lost != 0 || r.Steps != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	eventsOf(t, s, "RUN") // it is not damaged
	if h := s.Health(); h.Queued != 0 || h.Waited != 0 {
		t.Errorf("afterwards: %+v", h)
	}
}

// proxy is between the store and the server. Armed, it passes on what a client sends with the marker in
// it, and cuts the connection instead of passing on the answer.
type proxy struct {
	marker string
	cut    chan struct{}

	mu    sync.Mutex
	armed bool
}

func newProxy(t *testing.T, socket, marker string) (p *proxy, address string) {
	t.Helper()
	p = &proxy{marker: marker, cut: make(chan struct{}, 1)}
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(t, client, socket) })
		}
	})
	return p, l.Addr().String()
}

func (p *proxy) serve(t *testing.T, client net.Conn, socket string) {
	defer client.Close()
	var dialer net.Dialer
	server, err := dialer.DialContext(context.Background(), "unix", socket)
	if err != nil {
		t.Error(err)
		return
	}
	defer server.Close()
	marked := make(chan struct{})
	go func() {
		defer server.Close()
		buffer := make([]byte, 1<<20)
		for {
			n, err := client.Read(buffer)
			if err != nil {
				return
			}
			p.mu.Lock()
			if p.armed && bytes.Contains(buffer[:n], []byte(p.marker)) {
				p.armed = false
				close(marked)
			}
			p.mu.Unlock()
			if _, err := server.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 1<<20)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-marked: // the answer to the commit
			p.cut <- struct{}{}
			return
		default:
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// A commit whose acknowledgement is lost has happened: it is recognised and not made a second time.
func TestLostAcknowledgement(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	direct := server.URL(t)
	database, socket, _ := strings.Cut(strings.TrimPrefix(direct, "postgres://postgres@/"), "?host=")
	p, address := newProxy(t, socket+"/.s.PGSQL.5432", "MARKER")
	s := open(t, "postgres://postgres@"+address+"/"+database+"?sslmode=disable", journal.Options{}, postgres.Timing{})
	record(t, s, events("WARM", "in", "out")...) // so that the statement is prepared
	parts := map[string][]int{"whole": {0, 5}, "begin": {0, 2, 5}, "end": {0, 2, 5}, "middle": {0, 2, 3, 5}}
	for name, at := range parts {
		all := events(name, "in", "out")
		cut := 0
		switch name {
		case "begin", "whole":
		default:
			cut = 1
		}
		mark := value.FromPlain(map[string]any{"text": "MARKER"})
		for i := 1; i < len(at); i++ {
			part := all[at[i-1]:at[i]]
			if i-1 == cut {
				part[min(1, len(part)-1)].Record.Output = mark
				if last := part[len(part)-1]; last.End != nil {
					last.End.Value = mark
				}
				if i == 1 {
					part[0].Start.Args = mark
				}
				p.mu.Lock()
				p.armed = true
				p.mu.Unlock()
			}
			record(t, s, part...)
		}
		<-p.cut
		if n := eventsOf(t, s, name); n != 5 {
			t.Errorf("%s: %d events, expected 5", name, n)
		}
		r, err := s.Run(t.Context(), name)
		if err != nil || r.Status != journal.Finished || r.Steps != 3 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if err := s.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
}

// Rights: who may only read can list runs, and who may not create the schema gets the remedy.
func TestRights(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	role := "reader_" + strings.NewReplacer("-", "_").Replace(query[string](t, url, `SELECT current_database()`))
	change(t, url, `CREATE ROLE `+role+` LOGIN`)
	t.Cleanup(func() { change(t, url, `DROP OWNED BY `+role+`; DROP ROLE `+role) })
	as := strings.Replace(url, "postgres@", role+"@", 1)

	stranger := open(t, as, journal.Options{}, postgres.Timing{})
	_, err := stranger.Process(t.Context())
	if err == nil || !strings.Contains(err.Error(), "grant the user CREATE on the database, or make it the owner of the schema toolgraph") {
		t.Errorf("the schema is created: %v", err)
	}
	if state, err := stranger.State(t.Context()); err == nil || state.Exists {
		t.Errorf("the state of a store that cannot be created is %+v", state)
	}

	s := open(t, url, journal.Options{}, never)
	record(t, s, events("RUN", "in", "out")[:2]...)
	change(t, url, `GRANT USAGE ON SCHEMA toolgraph TO `+role+`; GRANT SELECT ON ALL TABLES IN SCHEMA toolgraph TO `+role)
	reader := open(t, as, journal.Options{}, quick)
	runs, err := reader.List(t.Context(), journal.Filter{})
	if err != nil || len(runs) != 1 {
		t.Error(ids(runs), err)
	}
	if err := reader.Claim(t.Context(), "RUN"); err == nil {
		t.Error("who may only read claims a run")
	}
}

// An administrator can create the schema for a user who may create nothing else.
func TestSchemaOfAnAdministrator(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	role := "owner_" + query[string](t, url, `SELECT current_database()`)
	change(t, url, `CREATE ROLE `+role+` LOGIN; CREATE SCHEMA toolgraph AUTHORIZATION `+role)
	t.Cleanup(func() { change(t, url, `DROP OWNED BY `+role+`; DROP ROLE `+role) })
	s := open(t, strings.Replace(url, "postgres@", role+"@", 1), journal.Options{}, postgres.Timing{})
	record(t, s, events("RUN", "in", "out")...)
	if n, err := s.Delete(t.Context(), "RUN"); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// Text that Postgres refuses is changed where it is stored and where it is searched; no run is lost.
func TestDirtyText(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.URL(t), journal.Options{}, postgres.Timing{})
	dirty := journal.About{File: "/x/\xff\x00.yaml", Server: "\x00demo"}
	j := s.Journal(nil, dirty)
	all := events("RUN", value.FromPlain(map[string]any{"a\x00": "\x00", "b": "\xff"}), "\x00\xff")
	all[0].Start.Tool = "to\x00ol"
	for _, e := range append(all, events("NEXT", "in", "out")...) {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []journal.Filter{{File: dirty.File}, {Tool: "to\x00ol"}, {Text: "RUN\x00"}} {
		runs, err := s.List(t.Context(), f)
		if err != nil {
			t.Error(err)
		}
		for _, r := range runs {
			if r.Damaged != "" {
				t.Errorf("%+v: %s", f, r.Damaged)
			}
		}
		if f.Text == "" && len(runs) == 0 {
			t.Errorf("%+v selects no run", f)
		}
	}
	if n := eventsOf(t, s, "RUN"); n != 5 {
		t.Errorf("%d events, expected 5", n)
	}
	if _, err := s.Run(t.Context(), "\xff\x00"); err == nil {
		t.Error("there is a run with such an id")
	}
}
