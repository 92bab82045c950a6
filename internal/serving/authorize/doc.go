// Package authorize verifies the access tokens of an OAuth authorization server: JSON Web Tokens
// (RFC 9068) that are signed with one of its published keys. internal/serving/server asks it about each
// request; it sends requests to the authorization server only for its metadata and keys.
package authorize
