package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
)

// S10: no answer holds a secret, whole, cut or taken apart; settings are set or unset.
func TestS10NoSecretLeaves(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
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
		"/api/project", "/api/source", "/api/graphs/count", "/api/runs", run, run + "/path", run + "/latest?at=9", run + "/steps", run + "/steps/0", run + "/steps/6",
		run + "/value?of=args", run + "/value?of=result", run + "/value?of=context&at=8", run + "/value?of=output&at=0", run + "/whole?of=args",
		run + "/whole?of=result", "/api/diff?a=" + id + "&b=" + id, run + "/search?of=args&text=xxxx", run + "/value?of=context&at=8&marks=1",
		run + "/value?of=expression&kind=jsonata&source=$.entry.note&at=2", run + "/table?of=expression&kind=jsonata&source=[$.entry]&at=2",
		run + "/whole?of=expression&kind=jsonata&source=$.entry&at=2", run + "/whole?of=foreseen&at=0&download=1",
	} {
		status, body := c.ask("GET", path, "")
		if status != http.StatusOK && !strings.Contains(path, "foreseen") || strings.Contains(body, token[:8]) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, piece := range []string{token, token[:3], token[len(token)-5:]} {
		if found := good[matchesJSON](c, "GET", run+"/search?of=args&text="+piece, ""); found.Total != 0 {
			t.Errorf("a search finds a piece of a secret: %+v", found)
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

// S05: a secret that a server gives back is hidden however it is written, in every
// answer and in the events.
func TestS05SecretOfAServer(t *testing.T) {
	quoted, err := json.Marshal(quotedToken)
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{quotedToken, url.QueryEscape(quotedToken), base64.StdEncoding.EncodeToString([]byte(quotedToken)), string(quoted[1 : len(quoted)-1])}
	c := openFile(t, strings.Replace(graphFile, `PLAIN: ""`, `PLAIN: "${QUOTED_TOKEN}"`, 1), nil)
	var first string
	c.listen("", func(id, _, _ string) bool {
		first = id
		return true
	})
	note := strings.Join(forms, " ")
	body, err := json.Marshal(map[string]any{"tool": "count", "args": map[string]any{"n": 1, "note": note}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.start(string(body)), c.start(strings.Replace(string(body), `"n":1`, `"n":2`, 1))
	c.until(a, "finished")
	c.until(b, "finished")
	run := "/api/runs/" + a
	answers := map[string]string{}
	c.listen(first, func(_, _, data string) bool {
		answers["events"] += data
		return strings.Count(answers["events"], `"finished"`) == 2
	})
	for _, path := range []string{
		"/api/runs", run, run + "/steps", run + "/steps/0", run + "/value?of=args", run + "/value?of=context&at=8", run + "/whole?of=args",
		run + "/whole?of=result", run + "/value?of=args&path=%5B%22note%22%5D", "/api/diff?a=" + a + "&b=" + b,
	} {
		_, answers[path] = c.ask("GET", path, "")
	}
	_, answers["evaluate"] = c.ask("POST", run+"/evaluate", `{"kind": "jsonata", "source": "$.entry.note", "at": 2}`)
	_, answers["rule"] = c.ask("POST", run+"/evaluate", `{"kind": "rule", "source": "{\"var\": \"entry.note\"}", "at": 2}`)
	_, answers["watch"] = c.ask("POST", run+"/watch", `{"sources": ["$.entry.note", "$error($.entry.note)"], "at": 2}`)
	for name, answer := range answers {
		for _, form := range forms {
			again, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(answer, form) || strings.Contains(answer, string(again[1:len(again)-1])) {
				t.Errorf("%s tells %s: %s", name, form, answer)
			}
		}
	}
	if !strings.Contains(answers["watch"], "[redacted]") {
		t.Errorf("the watch says %s", answers["watch"])
	}
}

// Runs of another graph file are none of this page's, whatever it knows of their ids.
func TestRunsOfOtherFiles(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	p := parse(t, graphFile)
	other := execution.New(inc{}, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: "/elsewhere/graph.yaml", Server: "test"})))
	args, err := value.Decode([]byte(`{"n": 1, "note": "not yours"}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := other.Run(t.Context(), p.Graphs[0], args)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, store)
	mine := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(mine, "finished")
	run := "/api/runs/" + result.RunID
	for _, path := range []string{run, run + "/path", run + "/steps", run + "/whole?of=args", "/api/diff?a=" + mine + "&b=" + result.RunID} {
		if status, body := c.ask("GET", path, ""); status != http.StatusNotFound || strings.Contains(body, "not yours") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if list := good[runsJSON](c, "GET", "/api/runs", ""); len(list.Runs) != 1 {
		t.Errorf("the list is %+v", list.Runs)
	}
}
