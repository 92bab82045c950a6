package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// patience is a guard against a hang.
const patience = time.Minute

// transcript is what was said so far. Safe for concurrent use.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func newTranscript() *transcript { return &transcript{news: make(chan struct{}, 1)} }

func (s *transcript) add(line string) {
	s.mu.Lock()
	s.text.WriteString(line + "\n")
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the text from a place on has each of some texts.
func (s *transcript) wait(t *testing.T, from int, want []string) {
	t.Helper()
	end := time.After(patience)
	for _, text := range want {
		for !strings.Contains(s.String()[from:], text) {
			select {
			case <-s.news:
			case <-end:
				t.Fatalf("no %s:\n%s", text, s)
			}
		}
	}
}

// started starts the program, and ends it with the test.
func started(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

func overStdio(t *testing.T, program, graph string, steps []step) string {
	t.Helper()
	cmd := exec.Command(program, "serve", "-g", graph, "--state", t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started(t, cmd)
	said := newTranscript()
	go func() {
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			said.add("< " + strings.TrimSuffix(line, "\n"))
		}
	}()
	for _, s := range steps {
		send := answering(s.send, said.String())
		said.add("> " + send)
		from := len(said.String())
		if _, err := io.WriteString(in, send+"\n"); err != nil {
			t.Fatal(err)
		}
		said.wait(t, from, s.want)
	}
	return said.String()
}

var servedAt = regexp.MustCompile(`at (http://\S+/mcp)`)

// overHTTP sends each message as a request. The bodies of responses are added as they come, with their headers.
func overHTTP(t *testing.T, program, graph string, steps []step) string {
	t.Helper()
	log := &testbin.Said{}
	cmd := exec.Command(program, "serve", "-g", graph, "--state", t.TempDir(), "--http", "127.0.0.1:0")
	cmd.Stderr = log
	started(t, cmd)
	url := ""
	for end := time.Now().Add(patience); url == ""; time.Sleep(5 * time.Millisecond) {
		if found := servedAt.FindStringSubmatch(log.String()); found != nil {
			url = found[1]
		}
		if time.Now().After(end) {
			t.Fatal(log)
		}
	}
	said, session, version := newTranscript(), "", ""
	var all []*response
	for _, s := range steps {
		from := len(said.String())
		one := &response{sent: answering(s.send, said.String()), ended: make(chan struct{})}
		all = append(all, one)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(one.sent))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("Mcp-Protocol-Version", version)
		}
		resp, err := http.DefaultClient.Do(r) //nolint:bodyclose // response.read closes it
		if err != nil {
			t.Fatal(err)
		}
		if own := resp.Header.Get("Mcp-Session-Id"); own != "" {
			session, version = own, protocol.FindStringSubmatch(one.sent)[1]
			resp.Header.Set("Mcp-Session-Id", "SESSION")
		}
		one.head(resp)
		go one.read(resp.Body, said)
		said.wait(t, from, s.want)
		if !s.stays {
			<-one.ended
		}
	}
	var text strings.Builder
	for _, one := range all {
		<-one.ended
		text.WriteString("> " + one.sent + "\n" + one.got.String())
	}
	return text.String()
}

// response is what a request was answered with. It is complete when ended is closed.
type response struct {
	sent  string
	got   strings.Builder
	ended chan struct{}
}

// head takes the status and the headers, in the order of their names, without the time.
func (r *response) head(resp *http.Response) {
	resp.Header.Del("Date")
	var headers bytes.Buffer
	_ = resp.Header.Write(&headers) // a buffer takes it
	fmt.Fprintf(&r.got, "< %s\n", resp.Status)
	for line := range strings.Lines(headers.String()) {
		fmt.Fprintf(&r.got, "< %s\n", strings.TrimSpace(line))
	}
}

// read takes the body, whose lines it adds to a transcript as they come.
func (r *response) read(body io.ReadCloser, said *transcript) {
	defer close(r.ended)
	defer body.Close()
	for lines := bufio.NewReader(body); ; {
		line, err := lines.ReadString('\n')
		if line != "" {
			fmt.Fprintf(&r.got, "< %s\n", strings.TrimSuffix(line, "\n"))
			said.add(line)
		}
		if err != nil {
			return
		}
	}
}

var protocol = regexp.MustCompile(`"protocolVersion":"([^"]+)"`)
