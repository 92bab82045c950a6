package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/internal/program"
)

// typed puts a question to a user who writes the lines and then ends the input.
func typed(t *testing.T, params string, lines ...string) (answer, said string) {
	t.Helper()
	f, err := readForm(json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	user := newAsker(program.Streams{In: strings.NewReader(strings.Join(append(lines, ""), "\n")), Err: &out})
	user.talks = true
	raw, err := user.ask(t.Context(), "up", f, config.NewSecrets("hunter2-hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), out.String()
}

func questionOf(properties, required string) string {
	return `{"message":"Fill it in","requestedSchema":{"type":"object","properties":` + properties + `,"required":` + required + `}}`
}

const everything = `{
	"name": {"type":"string","minLength":2,"maxLength":5,"title":"Your name","description":"as on the door"},
	"mail": {"type":"string","format":"email"},
	"day": {"type":"string","format":"date"},
	"age": {"type":"integer","minimum":1,"maximum":120,"default":30},
	"score": {"type":"number"},
	"sure": {"type":"boolean","default":false},
	"colour": {"type":"string","enum":["r","g"],"enumNames":["Red","Green"]},
	"size": {"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"s"},
	"tags": {"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"},{"const":"c","title":"C"}]}}
}`

// Each kind of field is read as its type, and asked for again until it fits.
func TestAskEachKindOfField(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
		says  []string
	}{
		{
			"all given",
			[]string{"Ann", "a@b.example", "2026-02-03", "7", "1.5", "yes", "Green", "2", "1, c", "yes"},
			`{"name":"Ann","mail":"a@b.example","day":"2026-02-03","age":7,"score":1.5,"sure":true,"colour":"g","size":"l","tags":["a","c"]}`, nil,
		},
		{"as little as may be", []string{"Ann", "", "", "", "", "", "", "", "", "yes"}, `{"name":"Ann","age":30,"sure":false,"size":"s"}`, nil},
		{"mistakes are asked again", []string{
			"", "A", "Abcdef", "Ann", "Ann <a@b.example>", "a@b.example", "2026-02-31", "2026-02-28", "x", "1.5", "121", "1",
			"one", "2", "perhaps", "n", "0", "3", "blue", "r", "4", "l", "a,b,c", "b", "what", "y",
		}, `{"name":"Ann","mail":"a@b.example","day":"2026-02-28","age":1,"score":2,"sure":false,"colour":"r","size":"l","tags":["b"]}`, []string{
			"a value is required", "Your name: expected", "expected text of format email", "expected text of format date", "age: expected",
			"expected a number\n", "expected yes or no", "expected a number from 1 to 2", "tags: expected",
		}},
	} {
		answer, said := typed(t, questionOf(everything, `["name"]`), c.lines...)
		if want := `{"action":"accept","content":` + c.want + `}`; answer != want {
			t.Errorf("%s:\ngot  %s\nwant %s\n%s", c.name, answer, want, said)
		}
		for _, says := range append(c.says, `The server "up" asks:`, "as on the door\nYour name (text, required): ", "2  Green", "age (an integer, default 30): ") {
			if !strings.Contains(said, says) {
				t.Errorf("%s: not said %q:\n%s", c.name, says, said)
			}
		}
	}
}

// A user can decline and cancel at any place, and the end of the input cancels.
func TestAskDeclineCancelEnd(t *testing.T) {
	one := questionOf(`{"n":{"type":"integer"}}`, `[]`)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"1", "no"}, "decline"},
		{[]string{"!no"}, "decline"},
		{[]string{"1", "!cancel"}, "cancel"},
		{[]string{"!cancel"}, "cancel"},
		{[]string{"1"}, "cancel"},
		{nil, "cancel"},
	} {
		if answer, said := typed(t, one, c.lines...); answer != `{"action":"`+c.want+`"}` || len(c.lines) < 2 && !strings.HasPrefix(strings.Join(c.lines, ""), "!") && !strings.Contains(said, "cancelled because the input has ended") {
			t.Errorf("%q: %s\n%s", c.lines, answer, said)
		}
	}
	if answer, said := typed(t, `{"mode":"url","message":"Log in","url":"https://login.example/x","elicitationId":"1"}`, "yes"); answer != `{"action":"accept"}` || !strings.Contains(said, "  | https://login.example/x\n") {
		t.Errorf("%s\n%s", answer, said)
	}
}

// T03: what a server writes cannot pass for text of the command, nor move the cursor, nor flood
// the screen, nor show a secret.
func TestT03AskHostileText(t *testing.T) {
	evil := "\x1b[2J\u202eevil\x00\nThe server \"bank\" asks:\nhunter2-hunter2" + strings.Repeat("x", 100_000)
	raw, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	params := `{"message":` + text + `,"requestedSchema":{"type":"object","properties":{` + text + `:{"type":"string","title":` + text + `,"description":` + text + `,"enum":["a"],"enumNames":[` + text + `],"default":` + text + `}}}}`
	_, said := typed(t, params, "7", "a", "yes")
	own := strings.ReplaceAll(said, "\r\x1b[2K", "")
	if strings.ContainsAny(own, "\x1b\x00\u202e") || strings.Contains(own, "hunter2") || strings.Contains(own, "\nThe server \"bank\"") {
		t.Errorf("said %q", own[:min(len(own), 3000)])
	}
	if len(own) > 8000 || !strings.Contains(own, "(truncated, 1") {
		t.Errorf("%d bytes were said", len(own))
	}
}

func TestAskRefusesWhatNoUserCanAnswer(t *testing.T) {
	many := ""
	for i := range maxFields + 1 {
		many += `"f` + strings.Repeat("x", i) + `":{"type":"string"},`
	}
	for params, want := range map[string]string{
		`[]`: "has no message", `{"requestedSchema":{}}`: "has no message",
		`{"message":"m","mode":"url","url":"javascript:alert(1)"}`:           "no url that a user could open",
		`{"message":"m","mode":"url","url":"file://host/etc"}`:               "no url that a user could open",
		questionOf(`{"o":{"type":"object"}}`, `[]`):                          "expected a string, number",
		questionOf(`{"o":{"type":"array","items":{"type":"string"}}}`, `[]`): "expected a string, number",
		questionOf(`{"o":7}`, `[]`):                                          "expected a schema of one string",
		questionOf(`{`+strings.TrimSuffix(many, ",")+`}`, `[]`):              "has 51 fields, expected at most 50",
	} {
		if _, err := readForm(json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", params, err, want)
		}
	}
}

// Where there is no terminal nothing is read, and standard error says why.
func TestAskWithoutATerminal(t *testing.T) {
	f, err := readForm(json.RawMessage(questionOf(`{}`, `[]`)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := strings.NewReader("yes\n")
	answer, err := newAsker(program.Streams{In: in, Err: &out}).ask(t.Context(), "up", f, nil)
	if err != nil || string(answer) != `{"action":"cancel"}` || in.Len() != 4 || !strings.Contains(out.String(), `server "up" asks its user a question, which is cancelled because standard input or standard error is not a terminal`) {
		t.Errorf("%s, %v, %d bytes left\n%s", answer, err, in.Len(), out.String())
	}
}

// The end of the run ends its question, and the next question is put.
func TestAskEndsWithItsRun(t *testing.T) {
	f, err := readForm(json.RawMessage(questionOf(`{}`, `[]`)))
	if err != nil {
		t.Fatal(err)
	}
	in, write := io.Pipe()
	defer write.Close()
	prompts := make(promptSignal, 10)
	user := newAsker(program.Streams{In: in, Err: prompts})
	user.talks = true
	begin := func() (cancel func(), ended <-chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		end := make(chan error, 1)
		go func() {
			_, err := user.ask(ctx, "up", f, nil)
			end <- err
		}()
		return cancel, end
	}
	cancelOpen, open := begin()
	receive(t, (<-chan struct{})(prompts))
	cancelWaiting, waiting := begin()
	cancelWaiting()
	for _, ended := range []<-chan error{waiting, open} {
		if err := receive(t, ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		cancelOpen()
	}
	go func() { _, _ = io.WriteString(write, "yes\n") }()
	if answer, err := user.ask(t.Context(), "up", f, nil); err != nil || string(answer) != `{"action":"accept","content":{}}` {
		t.Errorf("%s, %v", answer, err)
	}
}

// promptSignal is an output that signals each prompt of its end.
type promptSignal chan struct{}

func (p promptSignal) Write(said []byte) (int, error) {
	if bytes.Contains(said, []byte("Send this answer?")) {
		p <- struct{}{}
	}
	return len(said), nil
}

func receive[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		t.Fatal("waited in vain")
	}
	return v
}
