//go:build unix

package fleet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolgraph/tests/testbin"
)

func keyed(id int, key string) string {
	return call("order", fmt.Sprintf(`{"id":%d}`, id), fmt.Sprintf(`"toolgraph/key":%q`, key), "")
}

// A hundred equal calls at once, in two processes, are one run; so are later ones, in a third process
// and over stdio, until the run is deleted. Other arguments are refused, and so are keys without a
// history.
func TestKeys(t *testing.T) {
	t.Parallel()
	f := newFleet(t, t.TempDir(), 2)
	all := f.all()
	const id, want = 7, `{"id":7,"paid":1}`
	var calling sync.WaitGroup
	for i := range 100 {
		calling.Go(func() {
			_, body, err := all[i%2].post(keyed(id, "k"), http.Header{})
			if got := textOf(t, body); err != nil || got != want {
				t.Errorf("%v: %s", err, got)
			}
		})
	}
	calling.Wait()
	if _, body, _ := f.start().post(keyed(id, "k"), http.Header{}); textOf(t, body) != want {
		t.Errorf("in a third process: %s", body)
	}
	if got := f.stdio(t, keyed(id, "k")); textOf(t, got) != want {
		t.Errorf("over stdio: %s", got)
	}
	if _, body, _ := all[0].post(keyed(id+1, "k"), http.Header{}); !strings.Contains(body, `"code":-32602`) || !strings.Contains(body, "with other arguments; use a new key") {
		t.Errorf("other arguments: %s", body)
	}
	if got := f.stdio(t, keyed(id, "k"), "--no-history"); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "does not record runs") {
		t.Errorf("without a history: %s", got)
	}
	if n := f.up.count(id); n != 1 {
		t.Errorf("paid %d times", n)
	}
	if out, err := f.toolgraph("runs", "rm", "--all"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, body, _ := all[1].post(keyed(id, "k"), http.Header{}); textOf(t, body) != `{"id":7,"paid":2}` {
		t.Errorf("after the run was deleted: %s", body)
	}
}

// A client that has lost the result of its answer to a question sends the answer again. With the key of the call it gets the result,
// also from the process that has asked; without a key an answer counts once there.
func TestKeyOfUsedAnswer(t *testing.T) {
	t.Parallel()
	p := newFleet(t, t.TempDir(), 1).all()[0]
	for meta, again := range map[string]string{askable: "requestState is unknown", askable + `,"toolgraph/key":"k"`: `"paid":1`} {
		id := len(meta)
		send := func(more string) string {
			_, body, err := p.post(call("confirm", fmt.Sprintf(`{"id":%d}`, id), meta, more), modernHeaders("confirm"))
			if err != nil {
				t.Fatal(err)
			}
			return body
		}
		state := requestState.FindStringSubmatch(send(""))
		if state == nil {
			t.Fatal("no question")
		}
		answer := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"sure":{"action":"accept"}}`, state[1])
		if got := textOf(t, send(answer)); got != fmt.Sprintf(`{"id":%d,"paid":1}`, id) {
			t.Errorf("%s: %s", meta, got)
		}
		if got := textOf(t, send(answer)); !strings.Contains(got, again) {
			t.Errorf("%s, again: %s", meta, got)
		}
	}
}

// A failure is repeated like a result: nothing is called again.
func TestKeyOfFailedRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t, t.TempDir(), 2)
	all := f.all()
	hold := call("hold", "{}", `"toolgraph/key":"h"`, "")
	first := make(chan string, 1)
	go func() {
		_, body, _ := all[0].post(hold, http.Header{})
		first <- textOf(t, body)
	}()
	f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == 1 })
	joined := make(chan string, 1)
	go func() {
		_, body, _ := all[1].post(hold, http.Header{})
		joined <- textOf(t, body)
	}()
	if out, err := f.toolgraph("runs", "cancel", "last"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	one, other := <-first, <-joined
	_, body, _ := all[1].post(hold, http.Header{})
	held, _ := f.up.holds()
	if again := textOf(t, body); !strings.Contains(one, "cancelled") || other != one || again != one || held != 1 {
		t.Errorf("%d calls:\n%s\n%s\n%s", held, one, other, again)
	}
	if out, err := f.toolgraph("runs", "cancel", "last"); err != nil {
		t.Errorf("cancelled twice: %v: %s", err, out)
	}
}

// stdio makes a call over stdio, and returns its answer.
func (f *fleet) stdio(t *testing.T, message string, flags ...string) string {
	t.Helper()
	return f.stdioOf(t, graphFile, message, flags...)
}

// stdioOf is stdio with another graph file.
func (f *fleet) stdioOf(t *testing.T, graph, message string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, graph, f.up.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(testbin.Build(t, "toolgraph"), append([]string{"serve", file, "--state", f.state}, flags...)...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" + message + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		var m struct{ ID int }
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID == 1 {
			return lines.Text()
		}
	}
	t.Fatalf("no answer: %s", out)
	return ""
}
