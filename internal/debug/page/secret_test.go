package page

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// S10: no answer holds a secret, whole, cut or taken apart; settings are set or unset.
func TestS10NoSecretLeaves(t *testing.T) {
	store, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := open(t, store)
	note := strings.Repeat("x", previewShown-10) + token // a preview would cut it in two
	id := c.start(fmt.Sprintf(`{"tool": "count", "args": {"n": 1, "note": %q}, "pause": true}`, note))
	c.until(id, "paused")
	if status, body := c.ask("POST", "/api/runs/"+id+"/edit", `{"node": "entry", "value": {"note": "[redacted]"}}`); status != http.StatusUnprocessableEntity {
		t.Errorf("an edit that would overwrite a secret: %d %s", status, body)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	run := "/api/runs/" + id
	for _, path := range []string{
		"/api/project", "/api/source", "/api/graphs/count", "/api/runs", run, run + "/path", run + "/steps", run + "/steps/0", run + "/steps/6",
		run + "/value?of=args", run + "/value?of=result", run + "/value?of=context&at=8", run + "/value?of=output&at=0", run + "/whole?of=args",
		run + "/whole?of=result", "/api/diff?a=" + id + "&b=" + id,
	} {
		status, body := c.ask("GET", path, "")
		if status != http.StatusOK || strings.Contains(body, token[:8]) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, source := range []string{"$.entry.note", "$substring($.entry.note, 150, 9)", "$split($.entry.note, '')", "$base64encode($.entry.note)", "$error($.entry.note)"} {
		body := fmt.Sprintf(`{"kind": "jsonata", "source": %q, "at": 2}`, source)
		status, answer := c.ask("POST", run+"/evaluate", body)
		if plain := strings.ReplaceAll(answer, `","`, ""); status != http.StatusOK || strings.Contains(plain, token[:4]) || strings.Contains(answer, "czNjcmV0") {
			t.Errorf("%s: %d %s", source, status, answer)
		}
	}
	p := good[projectJSON](c, "GET", "/api/project", "")
	if got := fmt.Sprint(p.Servers); got != "[{up stdio [{TOKEN true} {PLAIN false} {OTHER true}]}]" {
		t.Errorf("servers are %s", got)
	}
}
