package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// asks puts a question in the background and waits until the page shows it.
func (c *client) asks(ctx context.Context, params string) (q question, answered chan string) {
	c.t.Helper()
	answered = make(chan string, 1)
	go func() {
		raw, err := c.server.Ask(ctx, "up", json.RawMessage(params))
		if err != nil {
			raw = []byte(err.Error())
		}
		answered <- string(raw)
	}()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		if open := c.questions(); len(open) > 0 {
			return open[len(open)-1], answered
		}
		if time.Now().After(end) {
			c.t.Fatal("the page shows no question")
		}
	}
}

func (c *client) questions() []question {
	c.t.Helper()
	return good[struct{ Questions []question }](c, "GET", "/api/questions", "").Questions
}

func (c *client) gets(answered chan string) string {
	c.t.Helper()
	select {
	case got := <-answered:
		return got
	case <-time.After(2 * time.Minute):
		c.t.Fatal("the question has no answer")
		return ""
	}
}

const formOfAge = `{"message":"How old?","requestedSchema":{"type":"object","properties":{"age":{"type":"integer","minimum":1}},"required":["age"]}}`

// The user of the page answers a question once, with what fits its form.
func TestQuestionIsAnswered(t *testing.T) {
	c := open(t, nil)
	q, answered := c.asks(t.Context(), formOfAge)
	if q.Server != "up" || q.Message != "How old?" || string(q.Schema) != `{"type":"object","properties":{"age":{"type":"integer","minimum":1}},"required":["age"]}` {
		t.Errorf("the page shows %+v, %s", q, q.Schema)
	}
	at := "/api/questions/" + q.ID
	for body, want := range map[string]string{
		`{"action":"accept","content":{}}`:          `"path":["age"]`,
		`{"action":"accept","content":{"age":0}}`:   `"path":["age"]`,
		`{"action":"accept","content":{"age":"x"}}`: `"path":["age"]`,
		`{"action":"accept"}`:                       "has content",
		`{"action":"perhaps"}`:                      "expected accept, decline or cancel",
	} {
		if status, answer := c.ask("POST", at, body); status/100 != 4 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s, want %s", body, status, answer, want)
		}
	}
	good[struct{}](c, "POST", at, `{"action":"accept","content":{"age":7}}`)
	if got := c.gets(answered); got != `{"action":"accept","content":{"age":7}}` {
		t.Errorf("the server gets %s", got)
	}
	if status, _ := c.ask("POST", at, `{"action":"decline"}`); status != http.StatusConflict || len(c.questions()) != 0 {
		t.Errorf("answered twice: %d, open %v", status, c.questions())
	}
	for _, action := range []string{"decline", "cancel"} {
		q, answered := c.asks(t.Context(), formOfAge)
		good[struct{}](c, "POST", "/api/questions/"+q.ID, `{"action":"`+action+`","content":{"age":7}}`)
		if got := c.gets(answered); got != `{"action":"`+action+`"}` {
			t.Errorf("the server gets %s", got)
		}
	}
	q, answered = c.asks(t.Context(), `{"mode":"url","message":"Log in","url":"https://login.example/x"}`)
	good[struct{}](c, "POST", "/api/questions/"+q.ID, `{"action":"accept"}`)
	if got := c.gets(answered); q.URL != "https://login.example/x" || got != `{"action":"accept"}` {
		t.Errorf("%+v: the server gets %s", q, got)
	}
}

// Of two answers that come before the question is gone, the first counts.
func TestQuestionIsAnsweredOnce(t *testing.T) {
	c := open(t, nil)
	q := &question{ID: "twice", asked: asked{Message: "Sure?"}, answer: make(chan answerJSON, 2)}
	c.server.mu.Lock()
	c.server.open = append(c.server.open, q)
	c.server.mu.Unlock()
	good[struct{}](c, "POST", "/api/questions/twice", `{"action":"accept"}`)
	if status, _ := c.ask("POST", "/api/questions/twice", `{"action":"decline"}`); status != http.StatusConflict || len(q.answer) != 1 {
		t.Errorf("answered twice: %d, %d answers", status, len(q.answer))
	}
}

// Only a browser with the session sees and answers a question, and one ends with its call and with
// the page.
func TestQuestionEnds(t *testing.T) {
	c := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	q, answered := c.asks(ctx, formOfAge)
	stranger := &client{t: t, base: c.base, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	for _, request := range [][3]string{{"GET", "/api/questions", ""}, {"POST", "/api/questions/" + q.ID, `{"action":"decline"}`}} {
		if status, _ := stranger.ask(request[0], request[1], request[2]); status != http.StatusUnauthorized {
			t.Errorf("%v without a session: %d", request, status)
		}
	}
	cancel()
	if got := c.gets(answered); got != context.Canceled.Error() || len(c.questions()) != 0 {
		t.Errorf("the call has ended: %s, open %v", got, c.questions())
	}
	_, answered = c.asks(t.Context(), formOfAge)
	c.server.stop()
	if got := c.gets(answered); got != "the page has ended" {
		t.Errorf("got %s", got)
	}
}

// T03: what a server writes is shown without secrets and control characters, and truncated;
// what no user can answer is refused.
func TestT03QuestionHostileText(t *testing.T) {
	c := open(t, nil)
	raw, err := json.Marshal("\x1b[2J\u202e " + token + strings.Repeat("x", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	q, _ := c.asks(t.Context(), `{"message":`+string(raw)+`,"requestedSchema":{"type":"object","properties":{"a":{"type":"string","description":"`+token+`"}}}}`)
	if strings.ContainsAny(q.Message, "\x1b\u202e") || strings.Contains(q.Message+string(q.Schema), token) || len(q.Message) > longestQuestion+100 {
		t.Errorf("the page shows %.300q (%d bytes), %s", q.Message, len(q.Message), q.Schema)
	}
	for params, want := range map[string]string{
		`{}`: "no message", `{"message":"m","mode":"url","url":"javascript:alert(1)"}`: "no url", `{"message":"m","mode":"url","url":"file://host/x"}`: "no url",
		`{"message":"m","requestedSchema":{"type":7}}`: "",
	} {
		if _, err := c.server.Ask(t.Context(), "up", json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", params, err)
		}
	}
}
