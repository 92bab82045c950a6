package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// get sends a GET without a body.
func (h *site) get(path string, headers ...string) (status int, body string, header http.Header) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+h.addr+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	setHeaders(r, headers)
	return h.do(r)
}

var oauthPaths = []string{
	"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
	"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
	"/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration",
	"/register", "/authorize", "/token",
}

// A client that looks for OAuth finds none, with or without a token, and so does not log in.
func TestOAuthPathsWithoutOAuth(t *testing.T) {
	for _, opts := range []HTTPOptions{{}, {Token: token}} {
		h := serveSite(t, newBench(t, nil).server, opts)
		for _, path := range oauthPaths {
			status, body, header := h.get(path)
			var said struct {
				Error       string `json:"error"`
				Description string `json:"error_description"`
			}
			if err := json.Unmarshal([]byte(body), &said); status != http.StatusNotFound || err != nil || said.Error == "" || said.Description == "" ||
				header.Get("Content-Type") != "application/json" || header.Get("WWW-Authenticate") != "" {
				t.Errorf("%s: %d %v %s", path, status, header, body)
			}
			if status, _, _ := h.get(path, "Host: evil.com"); status != http.StatusForbidden {
				t.Errorf("%s for another host: %d", path, status)
			}
			if status, _, _ := h.get(path, "Origin: https://evil.com"); status != http.StatusForbidden {
				t.Errorf("%s for a page of another host: %d", path, status)
			}
		}
		status, _, header := h.get(Endpoint + "x/.well-known/openid-configuration")
		if opts.Token != "" && (status != http.StatusUnauthorized || strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata")) {
			t.Errorf("another path: %d %v", status, header)
		}
	}
}
