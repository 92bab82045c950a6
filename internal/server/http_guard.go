package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// guard checks requests: Host and Origin must name this server, so that no web page can reach
// it through the browser of a visitor, and the token must be right if there is one.
type guard struct {
	next  http.Handler
	local bool            // the listener is on loopback, so Host must be checked
	hosts map[string]bool // more allowed names, in lower case
	token []byte          // SHA-256 of the token; nil for no check
	stall time.Duration   // limit of the time that a client may leave an answer unread

	metrics http.Handler // nil: none
}

func newGuard(on net.Addr, opts HTTPOptions, stall time.Duration, next http.Handler) *guard {
	g := &guard{next: next, local: isLoopback(on.String()), hosts: map[string]bool{}, stall: stall, metrics: opts.Metrics}
	for _, name := range opts.Hosts {
		g.hosts[strings.ToLower(name)] = true
	}
	if opts.Token != "" {
		sum := sha256.Sum256([]byte(opts.Token))
		g.token = sum[:]
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(g.stall))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == healthPath:
		health(w, r) // reveals nothing
	case g.local && !g.mayName(r.Host):
		http.Error(w, "the Host header names another host; expected localhost, or a name given by --http-allow-host", http.StatusForbidden)
	case !g.mayOrigin(r.Header["Origin"]):
		http.Error(w, "the Origin header names a page that may not call this server; allow its host by --http-allow-host", http.StatusForbidden)
	case isOAuthPath(r.URL.Path):
		notFound(w) // without a token: clients look for metadata before they have one
	case g.token != nil && !g.knows(r.Header["Authorization"]):
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolgraph"`)
		http.Error(w, "expected the header Authorization: Bearer TOKEN with this server's token", http.StatusUnauthorized)
	case r.URL.Path == metricsPath && g.metrics != nil:
		g.metrics.ServeHTTP(w, r)
	case r.URL.Path != Endpoint:
		http.Error(w, "not found; the MCP endpoint is "+Endpoint, http.StatusNotFound)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// mayName reports whether a host, with or without a port, is allowed.
func (g *guard) mayName(host string) bool {
	return g.local && isLoopback(host) || g.hosts[strings.ToLower(withoutPort(host))]
}

// mayOrigin reports whether a page of this origin is allowed. Programs send no origin.
func (g *guard) mayOrigin(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Scheme+"://"+u.Host != origins[0] || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return g.mayName(u.Host)
}

// knows compares the token in constant time.
func (g *guard) knows(credentials []string) bool {
	if len(credentials) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token) == 1
}

// isLoopback reports whether a host, with or without a port, is the loopback interface.
func isLoopback(host string) bool {
	name := withoutPort(host)
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notAllowed(w, "GET, HEAD")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the client may have gone
}

func notAllowed(w http.ResponseWriter, methods string) {
	w.Header().Set("Allow", methods)
	http.Error(w, "method not allowed; use "+methods, http.StatusMethodNotAllowed)
}
