package server

import (
	"net/http"
	"strings"
)

// The paths at which clients look for OAuth metadata, also with a path of the server after
// them.
const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	openIDMetadataPath   = "/.well-known/openid-configuration"
)

// isOAuthPath reports whether clients that look for OAuth ask for a path. Without metadata, some
// take this server for an authorization server and use its default paths.
func isOAuthPath(path string) bool {
	switch path {
	case "/authorize", "/token", "/register", Endpoint + openIDMetadataPath:
		return true
	}
	for _, name := range []string{resourceMetadataPath, serverMetadataPath, openIDMetadataPath} {
		if rest, found := strings.CutPrefix(path, name); found && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// notFound answers that there is no OAuth at a path, in the form of an OAuth error: clients
// show its description.
func notFound(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"error":"invalid_request","error_description":"this server is not an authorization server and has no OAuth metadata; ` +
		`if it requires a token, configure the client to send it in the Authorization header"}` + "\n"))
}
