package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"
)

// No secret of a question, an answer or the row reaches the file.
func TestQuestionsHaveNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	f := newFlow("SECRET", value.Null)
	f.record("0", "entry", config.EntryNode, value.Null)
	f.asks("1", "sure", "Use "+secret+"?", "d1", 0)
	filled := value.NewObject([]string{"password"}, []value.Value{secret})
	f.answers(execution.Accept, filled)
	f.events[len(f.events)-1].Answer.Why = "no user at " + secret
	f.record("1", "sure", config.AskNode, filled)
	f.asks("2", "call", `Arguments: {"p":"`+secret+`"}`, "d2", 1)
	asked := f.events[2].Question
	s := inStore(t, f.events, secret)
	r, err := s.Run(t.Context(), "SECRET")
	if err != nil || r.Status != Waiting || r.Question.Message != `Arguments: {"p":"[redacted]"}` {
		t.Errorf("%+v %v", r.Question, err)
	}
	got, err := s.Load(t.Context(), "SECRET")
	if err != nil || got[2].Question.Message != "Use [redacted]?" || encoded(t, got[3].Answer.Content) != `{"password":"[redacted]"}` || got[3].Answer.Why != "no user at [redacted]" {
		t.Errorf("%s %v", asJSON(t, got), err)
	}
	if !strings.Contains(asked.Message, secret) {
		t.Error("the question in memory has changed, which the run still reads")
	}
	var gap *GapError
	if _, err := s.Journal(nil, About{}).Load(t.Context(), "SECRET"); !errors.As(err, &gap) || !strings.Contains(err.Error(), `the answer to step 1 (node "sure") had a secret`) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal"} {
		if raw, err := os.ReadFile(s.Path() + end); err == nil && strings.Contains(string(raw), "hunter2") {
			t.Errorf("history.db%s has the secret", end)
		}
	}
}

// A message is recorded up to its bound, and content up to that of a value.
func TestQuestionsAreBounded(t *testing.T) {
	f := newFlow("LONG", value.Null)
	f.record("0", "entry", config.EntryNode, value.Null)
	f.asks("1", "sure", strings.Repeat("ä", 1<<20), "d1", 0)
	f.answers(execution.Accept, value.NewObject([]string{"text"}, []value.Value{strings.Repeat("y", 2<<20)}))
	s := inStore(t, f.events[:3])
	r, err := s.Run(t.Context(), "LONG")
	if err != nil || len(r.Question.Message) > longestMessage+len("…") || !strings.HasSuffix(r.Question.Message, "ä…") {
		t.Errorf("%d bytes, %v", len(r.Question.Message), err)
	}
	if err := s.Journal(nil, About{}).Append(t.Context(), f.events[3]); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(t.Context(), "LONG")
	if err != nil {
		t.Fatal(err)
	}
	if gap, isGap := GapOf(got[3].Answer.Content); !isGap || gap.Reason != TooLarge {
		t.Errorf("%+v", gap)
	}
	if r, err = s.Run(t.Context(), "LONG"); err != nil || r.Bytes > 100_000 {
		t.Errorf("%d bytes, %v", r.Bytes, err)
	}
}

// A chunk with questions in which any byte has changed is read or refused, and nothing panics.
func TestDamagedQuestions(t *testing.T) {
	tr := track{view: &view{store: &Store{opts: Options{MaxValue: 1 << 20}}}}
	for _, e := range asking("ASKING") {
		if err := tr.add(e, 0); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(tr.body); at += thorough.Step(20) {
		for _, bits := range []byte{1, 0x20, 0x80, 0xff} {
			sick := append([]byte(nil), tr.body...)
			sick[at] ^= bits
			r := chunkReader{ByteReader: NewByteReader(sick), run: "ASKING"}
			all, known := newAssembly(), facts{}
			for len(r.rest) > 0 {
				f := frame{of: &stretch{id: "ASKING"}}
				var err error
				if f.event, f.value, err = r.next(); err != nil {
					break
				}
				known.follow(&f.event)
				if f.value.kind == spilled {
					break
				}
				_ = nameOf(f.event) + placeOf(f.event)
				if _, _, err := f.whole(all); err != nil {
					break
				}
			}
		}
	}
	for _, text := range []string{`{`, `null`, `{"question":{}}`, `{"question":5}`, `{"question":{"address":"x"}}`, `{"questions":-1}`} {
		s := inStore(t, asking("ASKING")[:3])
		if _, err := s.Run(t.Context(), "ASKING"); err != nil {
			t.Fatal(err)
		}
		kill(t, s)
		other, err := Open(filepath.Dir(s.Path()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.List(t.Context(), Filter{}); err != nil {
			t.Fatal(err)
		}
		raw, err := Raw(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Exec("UPDATE runs SET facts = ?", text); err != nil {
			t.Fatal(err)
		}
		found, err := other.List(t.Context(), Filter{})
		if err != nil || len(found) != 1 || found[0].Damaged == "" {
			t.Errorf("%s: %+v %v", text, found, err)
		}
		if err := errors.Join(raw.Close(), other.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// An exported run with questions is imported as it was; one with a false name is refused.
func TestImportOfQuestions(t *testing.T) {
	from := inStore(t, asking("ASKING"))
	r, err := from.Run(t.Context(), "ASKING")
	if err != nil {
		t.Fatal(err)
	}
	load := func() []execution.Event {
		events, err := from.Load(t.Context(), "ASKING")
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	to := inStore(t, nil)
	if err := to.Import(t.Context(), r, load()); err != nil {
		t.Fatal(err)
	}
	got, err := to.Load(t.Context(), "ASKING")
	if err != nil || asJSON(t, got) != asJSON(t, load()) {
		t.Errorf("%d events, %v", len(got), err)
	}
	for name, spoil := range map[string]func(e []execution.Event){
		"the server of a question":     func(e []execution.Event) { e[5].Question.Server = "up\x1b[2J" },
		"the tool of a question":       func(e []execution.Event) { e[5].Question.Tool = "a\nb" },
		"the digest of an answer":      func(e []execution.Event) { e[5].Question.Digest, e[6].Answer.Digest = "\u202e", "\u202e" },
		"the digest of a confirmation": func(e []execution.Event) { e[8].Record.Confirmed.Digest = "\x07" },
	} {
		events := load()
		spoil(events)
		if err := inStore(t, nil).Import(t.Context(), r, events); err == nil || !strings.Contains(err.Error(), "control or hidden characters") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
