package mcpclient

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// reported gathers what servers report.
type reported struct {
	mu  sync.Mutex
	all []string
}

func (r *reported) take(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprintf("%v of %v: %s", done, total, message))
}

// Servers of every transport and era are asked for the progress of a call whose caller wants
// it, and what they report comes before the call has ended. Of others none is asked.
func TestProgressIsReported(t *testing.T) {
	const event = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1,"total":2,"message":"one"}}`
	legacy := newWeb(t, func(w *web) { w.stream, w.before = true, event })
	modern := newWeb(t, func(w *web) { w.stream, w.before, w.modern = true, event, true })
	old := newWeb(t, func(w *web) { w.before = event })
	for name, c := range map[string]struct {
		u                *config.Upstream
		tool, args, want string
	}{
		"stdio":        {fake(t), "report", `{"n":2,"message":"one"}`, "1 of 3: one, 2 of 3: one"},
		"stdio modern": {fake(t, "modern"), "report", `{"n":1,"message":"one"}`, "1 of 2: one"},
		"http":         {legacy.upstream("/mcp"), "echo", `{}`, "1 of 2: one"},
		"http modern":  {modern.upstream("/mcp"), "echo", `{}`, "1 of 2: one"},
		"sse":          {old.upstream("/sse"), "echo", `{}`, "1 of 2: one"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pool(t, c.u, withAdjust(allowPrivate))
			if got, err := callTool(p, c.tool, c.args); err != nil || strings.Contains(got, "progressToken") {
				t.Errorf("without a wish for progress: %s, %v", got, err)
			}
			for range 2 { // each call has a token of its own
				r := &reported{}
				got, err := callWith(WithProgress(context.Background(), r.take), p, c.tool, c.args)
				if err != nil || c.tool == "echo" && !strings.Contains(got, "progressToken") {
					t.Errorf("got %s, %v", got, err)
				}
				if all := strings.Join(r.all, ", "); all != c.want {
					t.Errorf("got %q, want %q", all, c.want)
				}
			}
		})
	}
}

// What a server reports has no secrets, no control characters and a bounded length; what is
// no report is passed over, and breaks nothing.
func TestProgressIsHostile(t *testing.T) {
	p := pool(t, fake(t), WithSecrets(config.NewSecrets("hunter2-hunter2")))
	for text, want := range map[string]string{
		`"progress":1e400`:                                             "",
		`"progress":"1"`:                                               "",
		`"progress":1,"message":[1]`:                                   "",
		`"progress":1,"progressToken":424242`:                          "", // another's
		`"progress":1,"progressToken":"1"`:                             "",
		`"progress":-1e308,"total":-5`:                                 "-1e+308 of -5: ",
		`"message":"alive"`:                                            "0 of 0: alive",
		`"message":"a\u001b[31mb\u0007\n\u202ec"`:                      `0 of 0: ab\a\n\u202ec`,
		`"message":"key hunter2-hunter2"`:                              "0 of 0: key [redacted]",
		`"message":"` + strings.Repeat("x", 195) + ` hunter2-hunter2"`: "0 of 0: " + strings.Repeat("x", 195) + " [red…",
		`"message":"` + strings.Repeat("x", 300) + `"`:                 "0 of 0: " + strings.Repeat("x", 200) + "…",
		`"message":"` + strings.Repeat("x", progressMost) + `"`:        "",
	} {
		r := &reported{}
		args := fmt.Sprintf(`{"text":%q}`, text)
		if _, err := callWith(WithProgress(context.Background(), r.take), p, "report", args); err != nil {
			t.Errorf("%.60s: %v", text, err)
		}
		if all := strings.Join(r.all, ", "); all != want {
			t.Errorf("%.60s: got %q, want %q", text, all, want)
		}
	}
}

// Nothing is passed on once a call has ended.
func TestProgressIsLate(t *testing.T) {
	r, all := &reported{}, &reports{}
	s := &session{reports: all, note: newNotes("fake", nil, nil)}
	meta, end := all.begin(WithProgress(context.Background(), r.take), map[string]any{"key": 1})
	params := fmt.Appendf(nil, `{"progressToken":%v,"progress":1}`, meta["progressToken"])
	s.reported(params)
	other := &reported{}
	_, endOther := all.begin(WithProgress(context.Background(), other.take), nil) // beside it
	defer endOther()
	s.reported(params)
	end()
	s.reported(params)
	if len(other.all) != 0 {
		t.Errorf("another call in flight got %q", other.all)
	}
	if len(r.all) != 2 || len(all.by) != 1 || meta["key"] != 1 {
		t.Errorf("got %q; %v", r.all, meta)
	}
}
