//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// ledger is what became of the calls of clients.
type ledger struct {
	mu       sync.Mutex     // guards what follows
	versions [3]int         // answers of each version of the file
	inDoubt  int            // answers that say that the outcome of a payment is unknown
	refused  int            // failures of payments that were not made, because the database could not record them
	failed   int            // failures of calls while the upstream server was away
	broken   int            // calls without a key whose connection broke
	repeated int            // requests that clients made again
	made     map[string]int // calls of each kind

	lost, doubled, wrong, unanswered int
}

// kinds are the calls that clients make in turn.
var kinds = [...]struct {
	name string
	make func(c *caller) string
}{
	{"with a key", (*caller).keyed},
	{"without a key", (*caller).unkeyed},
	{"twice at once", (*caller).twice},
	{"with a question", (*caller).question},
	{"as a task", (*caller).task},
	{"with long delays", (*caller).delayed},
	{"with a key, of many steps", (*caller).many},
}

// caller makes one call.
type caller struct {
	s  *site
	l  *ledger
	id int
}

// call makes a call, and judges the answer by what the upstream server has counted.
func (s *site) call(l *ledger, id int) {
	kind := id % len(kinds)
	answer := kinds[kind].make(&caller{s, l, id})
	paid := s.up.count(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made[kinds[kind].name]++
	bad := func(n *int, what string) {
		*n++
		s.t.Errorf("call %d %s is %s; paid %d times: %s", id, kinds[kind].name, what, paid, answer)
	}
	var of struct{ ID, Paid, Version int }
	isResult := json.Unmarshal([]byte(answer), &of) == nil && of.ID == id
	switch {
	case paid > 1:
		bad(&l.doubled, "doubled")
	case answer == unanswered:
		bad(&l.unanswered, "unanswered")
	case answer == broken:
		l.broken++
	case isResult && paid == 0:
		bad(&l.lost, "lost")
	case isResult && of.Paid == 1 && of.Version >= 1 && of.Version <= 2:
		l.versions[of.Version]++
	case strings.Contains(answer, "outcome"):
		l.inDoubt++
	case paid == 0 && strings.Contains(answer, "cannot be recorded before it is made"):
		l.refused++
	case s.up.stops() > 0 && upstreamAway.MatchString(answer):
		l.failed++
	default:
		bad(&l.wrong, "wrong")
	}
}

// upstreamAway is a failure of a call because the upstream server does not answer.
var upstreamAway = regexp.MustCompile(`\b(transport|server-start|connection|EOF)\b`)

// The answers of calls without one.
const (
	unanswered = "no answer"
	broken     = "the connection has broken"
)

// again is how long a client waits before it makes a request again.
const again = 50 * time.Millisecond

// until sends a request until there is an answer. One that must not be made again is made again only if it was refused.
func (c *caller) until(path, body string, headers http.Header, repeat bool) string {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(again) {
		status, answer, err := c.s.send(path, body, headers)
		switch {
		case err == nil && status < http.StatusInternalServerError:
			return answer
		case !repeat && (err != nil || status != http.StatusServiceUnavailable):
			return broken
		}
		c.l.mu.Lock()
		c.l.repeated++
		c.l.mu.Unlock()
	}
	return unanswered
}

func (c *caller) arguments(more string) string { return fmt.Sprintf(`{"id":%d%s}`, c.id, more) }

func (c *caller) key() string { return fmt.Sprintf(`"toolgraph/key":"call-%d"`, c.id) }

// text returns the text of an answer.
func (c *caller) text(answer string) string {
	if answer == unanswered || answer == broken {
		return answer
	}
	return textOf(c.s.t, answer)
}

func (c *caller) order(steps int, meta string) string {
	return call("order", c.arguments(fmt.Sprintf(`,"steps":%d`, steps)), meta, "")
}

func (c *caller) keyed() string {
	return c.text(c.until("/shop/mcp", c.order(2, c.key()), http.Header{}, true))
}

// many has so many steps that it is suspended when its process is stopped.
func (c *caller) many() string {
	return c.text(c.until("/shop/mcp", c.order(12+c.id%48, c.key()), http.Header{}, true))
}

func (c *caller) unkeyed() string {
	return c.text(c.until("/shop/mcp", c.order(2, ""), http.Header{}, false))
}

// twice makes a call twice at the same time. Both get one answer.
func (c *caller) twice() string {
	var answers [2]string
	var asking sync.WaitGroup
	for i := range answers {
		asking.Go(func() { answers[i] = c.keyed() })
	}
	asking.Wait()
	if answers[0] != answers[1] {
		return fmt.Sprintf("two answers: %q", answers)
	}
	return answers[0]
}

func (c *caller) delayed() string {
	return c.text(c.until("/shop/mcp", call("slow", c.arguments(""), c.key(), ""), http.Header{}, true))
}

// question makes a call that asks, and answers it, mostly in another process.
func (c *caller) question() string {
	meta := c.key() + "," + askable
	asked := c.until("/shop/mcp", call("confirm", c.arguments(""), meta, ""), modernHeaders("confirm"), true)
	state := requestState.FindStringSubmatch(asked)
	if state == nil {
		return "no question: " + asked
	}
	more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"sure":{"action":"accept"}}`, state[1])
	return c.text(c.until("/shop/mcp", call("confirm", c.arguments(""), meta, more), modernHeaders("confirm"), true))
}

// task makes a call that is answered with a task, and looks at it until it has ended.
func (c *caller) task() string {
	client := taskClient{t: c.s.t}
	send := func(method, name, params, meta string) string {
		return c.until("/desk/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{%s}}}`, method, params, meta), client.headers(method, name), true)
	}
	answer := send("tools/call", "job", fmt.Sprintf(`"name":"job","arguments":%s`, c.arguments("")), withTask+","+c.key())
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var m struct{ Result *task }
		if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result == nil {
			return "no task: " + answer
		}
		of := m.Result
		switch {
		case of.Status == "completed" && len(of.Result) > 0:
			return c.text(`{"result":` + string(of.Result) + `}`)
		case of.ResultType != "task" && of.Status == "":
			return c.text(answer) // it was so fast that it needs no task
		case of.Status != "working" && of.Status != "completed":
			return "the task: " + answer
		}
		answer = send("tasks/get", of.TaskID, fmt.Sprintf(`"taskId":%q`, of.TaskID), withTask)
	}
	return unanswered
}
