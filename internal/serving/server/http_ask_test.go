package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// session initializes with these capabilities and is the header of the session.
func (h *site) session(capabilities string) string {
	h.t.Helper()
	_, _, header := h.do(h.request(context.Background(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}}`))
	name := header.Get("Mcp-Session-Id")
	if name == "" {
		h.t.Fatal("no session")
	}
	return "Mcp-Session-Id: " + name
}

const (
	legacyAsk    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`
	legacyResult = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"action\":\"accept\",\"content\":{\"n\":1}}"}],"structuredContent":{"action":"accept","content":{"n":1}}}}`
)

func questionNo(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"toolgraph-%d","method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}`, n)
}

func answerNo(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"toolgraph-%d","result":%s}`, n, accepted)
}

// A client of the older era is asked on the stream of its call, and answers by a POST of its
// session; no other session can answer, and nothing is answered twice.
func TestHTTPAsk(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{})
	session, other := h.session(`{"elicitation":{}}`), h.session(`{"elicitation":{}}`)
	s := h.open(h.request(t.Context(), legacyAsk, session))
	s.want(questionNo(1))
	const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no open question of this session`
	refused := func(n int, headers ...string) {
		t.Helper()
		if status, body := h.post(answerNo(n), headers...); status != http.StatusBadRequest || !strings.HasPrefix(body, refusal) {
			t.Errorf("%d %s", status, body)
		}
	}
	refused(1, other)
	refused(1)
	refused(2, session)
	if status, body := h.post(answerNo(1), session); status != http.StatusAccepted || body != "" {
		t.Errorf("%d %s", status, body)
	}
	s.want(legacyResult)
	refused(1, session)
	// Two clients have their own questions, at the same time.
	first, second := h.open(h.request(t.Context(), legacyAsk, session)), h.open(h.request(t.Context(), legacyAsk, other))
	for i, one := range []*stream{first, second} {
		if got := one.next(); !strings.Contains(got, `"method":"elicitation/create"`) {
			t.Errorf("question %d: %s", i, got)
		}
	}
	h.post(answerNo(2), session)
	h.post(answerNo(3), session)
	h.post(answerNo(2), other)
	h.post(answerNo(3), other)
	first.want(legacyResult)
	second.want(legacyResult)
	b.noneLeft(t)
}

// What a client has not declared it is not asked, and one that reads no streams cannot be.
func TestHTTPAskWhoCannotBeAsked(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, "it has not declared the capability elicitation"},
		{[]string{h.session(`{}`)}, "it has not declared the capability elicitation"},
		{[]string{"Mcp-Session-Id: mine-form"}, "it has not declared the capability elicitation"},
		{[]string{h.session(`{"elicitation":{"url":{}}}`)}, "the capability elicitation.form"},
		{[]string{h.session(`{"elicitation":{"form":{},"url":{}}}`), "Accept:", "Accept: application/json"}, "it does not accept streams"},
	} {
		if _, body := h.post(legacyAsk, c.headers...); !strings.Contains(body, c.want) {
			t.Errorf("%q: %s", c.headers, body)
		}
	}
}

// A cancelled call takes its question back, and the end of the server ends it.
func TestHTTPAskEnds(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{})
	session := h.session(`{"elicitation":{}}`)
	s := h.open(h.request(t.Context(), legacyAsk, session))
	s.want(questionNo(1))
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session)
	s.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"toolgraph-1"}}`)
	b.noneLeft(t)
	s = h.open(h.request(t.Context(), legacyAsk, session))
	s.want(questionNo(2))
	h.cancel()
	if got := s.next(); !strings.Contains(got, "the connection ended before the user answered") {
		t.Errorf("got %s", got)
	}
	b.noneLeft(t)
}
