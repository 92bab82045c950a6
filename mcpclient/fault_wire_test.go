package mcpclient

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
)

func TestP06CrashesAtEveryStart(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	fakeTime := newMovedTime()
	p := pool(t, fake(t, "crashatstart", "countfile="+starts), fakeTime.clock(nil))
	e := mustFail(t, p, "echo", `{}`, CodeServerStart)
	for _, want := range []string{"exited with status 7", "cannot open the database"} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q is missing in %q", want, e)
		}
	}
	e = mustFail(t, p, "echo", `{}`, CodeServerStart)
	if !strings.Contains(e.Error(), "the next is tried in 1s") || !strings.Contains(e.Error(), "cannot open the database") || *e.ExitCode != 7 {
		t.Errorf("got %q", e)
	}
	if n := countLines(t, starts); n != 1 {
		t.Errorf("%d starts without a wait", n)
	}
	for range 298 {
		fakeTime.move(time.Second)
		mustFail(t, p, "echo", `{}`, CodeServerStart)
	}
	if n := countLines(t, starts); n != 5 {
		t.Errorf("%d starts in 5 minutes, want 5", n)
	}
	if e = mustFail(t, p, "echo", `{}`, CodeServerStart); !strings.Contains(e.Error(), "the next is tried in") {
		t.Errorf("got %q", e)
	}
	fakeTime.move(startsWindow)
	mustFail(t, p, "echo", `{}`, CodeServerStart)
	if n := countLines(t, starts); n != 6 {
		t.Errorf("%d starts after the circuit closed, want 6", n)
	}
}

func TestBreakerDelays(t *testing.T) {
	at := newMovedTime()
	b := breaker{now: at.read, circuit: true}
	var waits []string
	for range 5 {
		b.failed(&Error{})
		waits = append(waits, b.wait().String())
		at.move(b.wait())
	}
	if got := strings.Join(waits, " "); got != "1s 2s 4s 8s 4m45s" {
		t.Errorf("waits: %s", got)
	}
	b.succeeded()
	if b.wait() != 0 || b.open() {
		t.Error("a success does not close the circuit")
	}
	b.failed(&Error{})
	if b.wait() != time.Second {
		t.Errorf("the first failure after a success waits %s", b.wait())
	}
}

func TestP07StderrFlood(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	mustCall(t, p, "stderrflood", `{"size":100}`, `"flooded"`)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	e := mustFail(t, p, "die", `{"code":1,"message":"`+strings.Repeat(`trace\n`, 100)+`the last line\nbye"}`, CodeServerExited)
	if n := len(e.Stderr); n != tailLines || e.Stderr[n-1] != "bye" || e.Stderr[n-2] != "the last line" {
		t.Errorf("last lines: %.300q", e.Stderr)
	}
}

func TestP08LineWithoutEnd(t *testing.T) {
	p := pool(t, fake(t), withAdjust(func(s *settings) { s.maxMessage = 1 << 20 }))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := mustFail(t, p, "noline", `{"size":300}`, CodeTooLarge)
	runtime.ReadMemStats(&after)
	if !strings.Contains(e.Error(), "1048576 bytes") {
		t.Errorf("got %q", e)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
		t.Errorf("%d bytes were allocated for a limit of 1 MiB", taken)
	}
	mustCall(t, p, "inc", `{"n":1}`, `2`)
}

func TestP09Garbage(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	logger := slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil))
	diary := filepath.Join(t.TempDir(), "diary")
	p := pool(t, fake(t, "banner", "diary="+diary), WithLogger(logger))
	for range 3 {
		mustCall(t, p, "garbage", `{"message":"`+strings.Repeat("long ", 100)+`"}`, `"right"`)
	}
	// A reply after the cancel belongs to no call.
	ctx, stop := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := callWith(ctx, p, "latecancel", `{"n":7}`)
		failed <- err
	}()
	waitForLine(t, diary, "in 7")
	stop()
	wantError(t, "", receive(t, failed, "the call's end"), CodeCancelled)
	waitForLine(t, diary, "late 7")
	mustCall(t, p, "inc", `{"n":1}`, `2`) // its answer comes behind the late one
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(log.String(), "it is ignored"); n != 1 {
		t.Errorf("stray lines were logged %d times:\n%s", n, log.String())
	}
	if strings.Contains(log.String(), strings.Repeat("long ", 50)) {
		t.Errorf("a stray line was logged whole:\n%s", log.String())
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func TestP10NeverAnswersTheHandshake(t *testing.T) {
	for _, want := range []config.Protocol{config.ProtocolAuto, config.ProtocolLegacy, config.ProtocolModern} {
		p := pool(t, fake(t, "noinit"), withAdjust(func(s *settings) {
			s.StartTimeout, s.Protocol = 50*time.Millisecond, want
		}))
		e := mustFail(t, p, "echo", `{}`, CodeServerStart)
		if !strings.Contains(e.Error(), `server "fake"`) || !strings.Contains(e.Error(), "within 50ms") {
			t.Errorf("got %q", e)
		}
	}
	p := pool(t, fake(t, "exitoninit"))
	if e := mustFail(t, p, "echo", `{}`, CodeServerStart); *e.ExitCode != 8 || !strings.Contains(e.Error(), "license expired") {
		t.Errorf("got %q", e)
	}
}

func TestP12ArgumentsArriveByteForByte(t *testing.T) {
	odd := []string{"a;b", "$(id)", "`id`", "two\nlines", "", " ", `"quoted"`, "*", "ü→", "--flag=x y"}
	p := pool(t, fake(t, odd...))
	got, err := callTool(p, "argv", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	quoted := make([]string, len(odd))
	for i, a := range odd {
		quoted[i] = encoded(t, a)
	}
	if want := `{"items":[` + strings.Join(quoted, ",") + `]}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	shell := pool(t, &config.Upstream{Name: text("fake"), Command: text("sh -c 'rm -rf /'")})
	if e := mustFail(t, shell, "echo", `{}`, CodeServerStart); !strings.Contains(e.Error(), "arguments belong in args") {
		t.Errorf("got %q", e)
	}
}

func TestP13P14EnvironmentIsTheSafeBase(t *testing.T) {
	for _, name := range []string{"PARENT_SECRET", "NODE_OPTIONS", "BASH_ENV", "PYTHONPATH"} {
		t.Setenv(name, "hunter2")
	}
	t.Setenv("LD_PRELOAD", "")
	t.Setenv("LC_ALL", "C.UTF-8")
	u := fake(t)
	u.Env = []config.Setting{{Name: text("TOKEN"), Value: text("a=b c")}, {Name: text("LANG"), Value: text("xx")}}
	got, err := callTool(pool(t, u), "env", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{`"TOKEN=a=b c"`, `"LANG=xx"`, encoded(t, "PATH="+os.Getenv("PATH"))}
	if runtime.GOOS != "windows" { // which has no such variable
		wanted = append(wanted, `"LC_ALL=C.UTF-8"`)
	}
	for _, want := range wanted {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	for entry := range strings.SplitSeq(strings.Trim(got, `{}`), `","`) {
		name, _, _ := strings.Cut(strings.TrimPrefix(entry, `"items":["`), "=")
		if !passedOn(name) && name != "TOKEN" {
			t.Errorf("%s was passed on", name)
		}
	}
}

func TestP16OnlyThreeFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the fake server reads /proc")
	}
	got, err := callTool(pool(t, fake(t)), "fds", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got, `","`) + 1; n != 3 {
		t.Errorf("the server has %d files open: %s", n, got)
	}
}

func TestServerThatDoesNotRead(t *testing.T) {
	p := pool(t, fake(t, "deaf"), skipping(stdinGrace), withAdjust(func(s *settings) { s.Timeout = 50 * time.Millisecond }))
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for range 3 {
		mustFail(t, p, "text", big, CodeTimeout)
	}
}

func TestServerThatClosesItsOutput(t *testing.T) {
	p := pool(t, fake(t), skipping(2*drainGrace))
	mustFail(t, p, "closestdout", `{}`, CodeTransport)
	mustCall(t, p, "inc", `{"n":1}`, `2`)
}

func TestBigResults(t *testing.T) {
	p := pool(t, fake(t))
	for _, tool := range []string{"items", "structured"} {
		got, err := callTool(p, tool, `{"n":1000,"size":1000}`)
		if err != nil || len(got) < 900_000 || !strings.Contains(got, `"name":"item 999"`) {
			t.Errorf("%s: %d bytes, %v", tool, len(got), err)
		}
	}
	mustCall(t, p, "progress", `{"n":10000}`, `"done"`)
	mustCall(t, p, "listchanged", `{}`, `"changed"`)
}

func TestManyCallsAtOnce(t *testing.T) {
	p := pool(t, fake(t))
	var all sync.WaitGroup
	for i := range 500 {
		all.Go(func() {
			if got, err := callTool(p, "inc", fmt.Sprintf(`{"n":%d}`, i)); err != nil || got != fmt.Sprint(i+1) {
				t.Errorf("%d: got %s, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

func TestT10RequestsOfTheServerAreRefused(t *testing.T) {
	p := pool(t, fake(t))
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list", "x/y"} {
		got, err := callTool(p, "callback", `{"method":"`+method+`"}`)
		if err != nil || !strings.Contains(got, `"code":-32601`) || strings.Contains(got, `"result"`) {
			t.Errorf("%s: %s, %v", method, got, err)
		}
	}
	got, err := callTool(p, "callback", `{"method":"ping"}`)
	if err != nil || !strings.Contains(got, `"result":{}`) {
		t.Errorf("ping: %s, %v", got, err)
	}
}
