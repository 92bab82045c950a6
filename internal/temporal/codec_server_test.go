package temporal

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

const aToken = "0123456789abcdef"

// The web UI and the CLI decrypt payloads by the endpoint; pages of other origins, and requests without the token, do not.
func TestCodecServer(t *testing.T) {
	dir := t.TempDir()
	f := &codecFlags{
		listen: "127.0.0.1:0", keysFile: write(t, dir, "keys", line("2026-01", 1)), tokenFile: write(t, dir, "token", aToken+"\n"),
		origins: []string{"http://localhost:8233"},
	}
	handler, err := f.handler()
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(handler)
	t.Cleanup(served.Close)
	plain, err := converter.GetDefaultDataConverter().ToPayload("a value")
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := keysOf(t, line("2026-01", 1)).Encode([]*common.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	asks := func(headers ...string) ([]*common.Payload, error) {
		return converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{Endpoint: served.URL, ModifyRequest: func(r *http.Request) error {
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			return nil
		}}).Decode(hidden)
	}
	const auth, origin = "Authorization", "Origin"
	for name, headers := range map[string][]string{
		"the CLI":    {auth, "Bearer " + aToken},
		"the web UI": {auth, "Bearer " + aToken, origin, "http://localhost:8233", "X-Namespace", "default"},
	} {
		got, err := asks(headers...)
		if err != nil || len(got) != 1 || string(got[0].GetData()) != `"a value"` {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, headers := range map[string][]string{
		"no token": nil, "another token": {auth, "Bearer " + aToken + "x"}, "a part of it": {auth, "Bearer 0123"},
		"another page": {auth, "Bearer " + aToken, origin, "http://localhost:8234"}, "a page of no origin": {auth, "Bearer " + aToken, origin, "null"},
	} {
		if got, err := asks(headers...); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	for origin, want := range map[string]int{"http://localhost:8233": http.StatusNoContent, "http://evil.example": http.StatusForbidden} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/decode", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Private-Network", "true")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		allowed := w.Header().Get("Access-Control-Allow-Origin")
		if w.Code != want || (allowed == origin) != (want == http.StatusNoContent) || want == http.StatusNoContent && (w.Header().Get("Access-Control-Allow-Private-Network") != "true" ||
			!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-Namespace")) {
			t.Errorf("%s: %d %v", origin, w.Code, w.Header())
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/decode", strings.NewReader("{}"+strings.Repeat(" ", mostCodecBody)))
	r.Header.Set(auth, "Bearer "+aToken)
	w := httptest.NewRecorder()
	if handler.ServeHTTP(w, r); w.Code != http.StatusBadRequest {
		t.Errorf("a request that is too large: %d", w.Code)
	}
}

// A codec server is not reached from other machines unless that is safe.
func TestCodecServerRefuses(t *testing.T) {
	dir := t.TempDir()
	keys, token := write(t, dir, "keys", line("2026-01", 1)), write(t, dir, "token", aToken)
	for name, test := range map[string]struct {
		f    codecFlags
		want string
	}{
		"no keys":           {codecFlags{listen: "127.0.0.1:0"}, "codec has no keys"},
		"plain":             {codecFlags{listen: "0.0.0.0:0", keysFile: keys, tokenFile: token}, "would travel in plain text"},
		"all addresses":     {codecFlags{listen: ":8234", keysFile: keys, tokenFile: token}, "would travel in plain text"},
		"no token":          {codecFlags{listen: "0.0.0.0:0", keysFile: keys, allowPlain: true}, "require a token"},
		"half of TLS":       {codecFlags{listen: "127.0.0.1:0", keysFile: keys, key: keys}, "belong together"},
		"no certificate":    {codecFlags{listen: "127.0.0.1:0", keysFile: keys, certificate: keys, key: keys}, "--listen-cert, --listen-key"},
		"all origins":       {codecFlags{listen: "127.0.0.1:0", keysFile: keys, origins: []string{"*"}}, "--allow-origin"},
		"path of an origin": {codecFlags{listen: "127.0.0.1:0", keysFile: keys, origins: []string{"http://localhost:8233/"}}, "--allow-origin"},
		"short token":       {codecFlags{listen: "127.0.0.1:0", keysFile: keys, tokenFile: write(t, dir, "short", "abc")}, "has no token"},
		"safe":              {codecFlags{listen: "0.0.0.0:0", keysFile: keys, tokenFile: token, allowPlain: true}, ""},
	} {
		_, err := test.f.handler()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
