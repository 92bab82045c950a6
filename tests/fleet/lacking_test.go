//go:build unix

package fleet

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// lacking is a client of the modern era that cannot ask its user.
const lacking = `"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientCapabilities":{}`

// as makes a call with a key, of a client with these capabilities.
func (p *process) as(t *testing.T, client, tool string, id int, more string) (status int, body string) {
	t.Helper()
	status, body, err := p.post(call(tool, fmt.Sprintf(`{"id":%d}`, id), `"toolgraph/key":"k",`+client, more), modernHeaders(tool))
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

// refusal checks the error for a client that lacks the capability.
func refusal(t *testing.T, what string, status int, body string) {
	t.Helper()
	if status != http.StatusBadRequest || !strings.Contains(body, `"code":-32021`) || !strings.Contains(body, `"data":{"requiredCapabilities":{"elicitation":{"form":{}}}}`) {
		t.Errorf("%s: %d, %s", what, status, body)
	}
}

// yes returns what a client adds to its call to agree to the question of an answer.
func yes(t *testing.T, body string) string {
	t.Helper()
	found := requestState.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no question: %s", body)
	}
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"ask:sure":{"action":"accept"},"sure":{"action":"accept"}}`, found[1])
}

// A run that failed because its client could not ask its user is that failure for every client without the
// capability, in every process and over stdio. One that has it goes on with the same key at the question: what
// was paid before is not paid again. Then the later run is that of the key.
func TestX20JoinedRun(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, place(t), 2)
			all := f.all()
			const id = 5
			for i, p := range []*process{all[0], all[0], all[1]} {
				status, body := p.as(t, lacking, "late", id, "")
				refusal(t, fmt.Sprint("call ", i), status, body)
			}
			over := f.stdio(t, call("late", fmt.Sprintf(`{"id":%d}`, id), `"toolgraph/key":"k",`+lacking, ""))
			refusal(t, "over stdio", http.StatusBadRequest, over)
			legacy := f.stdio(t, call("late", fmt.Sprintf(`{"id":%d}`, id), `"toolgraph/key":"k"`, ""))
			if !strings.Contains(legacy, `"isError":true`) || !strings.Contains(legacy, "has not declared elicitation") {
				t.Errorf("legacy: %s", legacy)
			}
			if n := f.up.count(id); n != 1 {
				t.Fatalf("paid %d times before the question", n)
			}

			_, question := all[1].as(t, askable, "late", id, "")
			waited := make(chan string, 1) // a client that cannot be asked gets the result when another one is being asked
			go func() {
				_, body, err := all[0].post(call("late", fmt.Sprintf(`{"id":%d}`, id), `"toolgraph/key":"k",`+lacking, ""), modernHeaders("late"))
				if err != nil {
					body = err.Error()
				}
				waited <- body
			}()
			const want = `{"id":5,"paid":[1,2]}`
			if _, body := all[0].as(t, askable, "late", id, yes(t, question)); textOf(t, body) != want {
				t.Errorf("the later run: %s", body)
			}
			if body := <-waited; textOf(t, body) != want {
				t.Errorf("a client that has waited: %s", body)
			}
			for i, client := range []string{lacking, askable, lacking} {
				if _, body := all[i%2].as(t, client, "late", id, ""); textOf(t, body) != want {
					t.Errorf("after its end, call %d: %s", i, body)
				}
			}
			if n := f.up.count(id); n != 2 {
				t.Errorf("paid %d times", n)
			}
			if out, err := f.toolgraph("runs", "rm", "--status", "error"); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if _, body := all[1].as(t, askable, "late", id, ""); textOf(t, body) != want {
				t.Errorf("after the first run was deleted: %s", body)
			}
			f.nothingLeft()
		})
	}
}

// A client that cannot be asked leaves the open question of an interrupted run to the one that was asked.
func TestX20InterruptedRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t, t.TempDir(), 2)
	all := f.all()
	const id = 6
	_, question := all[0].as(t, askable, "confirm", id, "")
	more := yes(t, question)
	all[0].kill(t)
	f.wait("the run is interrupted", func() bool {
		out, err := f.toolgraph("runs", "list", "--status", "interrupted")
		return err == nil && strings.Contains(out, "confirm")
	})
	status, body := all[1].as(t, lacking, "confirm", id, "")
	refusal(t, "of an interrupted run", status, body)
	if !strings.Contains(body, "waits for the answer") {
		t.Errorf("%s", body)
	}
	if _, body := all[1].as(t, askable, "confirm", id, more); textOf(t, body) != `{"id":6,"paid":1}` {
		t.Errorf("the client that was asked: %s", body)
	}
}

// A run is not gone on with when a call would be made again that is not safe to repeat.
func TestX20UnsafeRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t, t.TempDir(), 2)
	all := f.all()
	const id = 7
	open := f.up.gate(id)
	first := make(chan func(), 1)
	go func() {
		status, body, err := all[0].post(call("beside", fmt.Sprintf(`{"id":%d}`, id), `"toolgraph/key":"k",`+lacking, ""), modernHeaders("beside"))
		first <- func() {
			if err != nil {
				t.Error(err)
			}
			refusal(t, "the first call", status, body)
		}
	}()
	f.wait("both calls are made", func() bool { held, _ := f.up.holds(); return held == 1 && f.up.looks(id) == 1 })
	open()
	(<-first)()
	_, body := all[1].as(t, askable, "beside", id, "")
	if !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "call with a new key") {
		t.Errorf("a client that can be asked: %s", body)
	}
	if held, _ := f.up.holds(); held != 1 {
		t.Errorf("%d calls", held)
	}
	status, body := all[1].as(t, lacking, "beside", id, "")
	refusal(t, "after that", status, body)
}
