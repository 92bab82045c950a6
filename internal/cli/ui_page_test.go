package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/project"
)

// The question of a server is put to the page of the run that calls it, and to the first one when no run does.
func TestQuestionsFindTheirPage(t *testing.T) {
	var pages []*uiPage
	var servers []*page.Server
	for _, name := range []string{"one", "two"} {
		path := filepath.Join("..", "..", "examples", "01-count-files.yaml")
		p, err := project.Load(t.Context(), path, (&uiFlags{}).FileOptions())
		if err != nil {
			t.Fatal(err)
		}
		shown := page.New(page.Options{Name: name, Controller: debug.New(), Project: page.Project{Project: p}, Logger: slog.New(slog.DiscardHandler)})
		pages, servers = append(pages, &uiPage{name: name, shown: shown}), append(servers, shown)
	}
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7000}
	site := page.NewSite(servers...)
	_, token, _ := strings.Cut(site.URL(at), "#token=")
	handler := site.Handler(at)
	session := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7000/one/api/session", strings.NewReader(fmt.Sprintf(`{"token": %q}`, token)))
	session.Header.Set("Content-Type", "application/json")
	opened := httptest.NewRecorder()
	handler.ServeHTTP(opened, session)
	count := func(name string) int {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7000/"+name+"/api/questions", nil)
		r.AddCookie(opened.Result().Cookies()[0])
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var got struct{ Questions []json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(w.Body)
		}
		return len(got.Questions)
	}
	ask := pageAsker{pages: pages}.Elicitor(nil)
	for ctx, want := range map[context.Context][2]int{
		t.Context(): {1, 0},
		context.WithValue(t.Context(), uiPageKey{}, pages[1]): {0, 1},
	} {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := ask(ctx, "up", json.RawMessage(`{"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}`))
			ended <- err
		}()
		for deadline := time.Now().Add(time.Minute); count("one")+count("two") == 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if got := [2]int{count("one"), count("two")}; got != want {
			t.Errorf("questions of the pages: %v, expected %v", got, want)
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("a question without an answer has one")
		}
	}
}
