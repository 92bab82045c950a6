package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// guard checks requests: Host and Origin must name this server, so that no web page can reach
// it through the browser of a visitor, and the token must be right if one is required.
type guard struct {
	site  *Site
	local bool            // the listener is on loopback, so Host must be checked
	hosts map[string]bool // more allowed names, in lower case
	token []byte          // SHA-256 of the token; nil: there is none
	oauth *resourceServer // nil: access tokens are not accepted
	stall time.Duration   // limit of the time that a client may leave an answer unread
}

func newGuard(on net.Addr, site *Site) *guard {
	opts := &site.opts
	g := &guard{site: site, local: isLoopback(on.String()), hosts: map[string]bool{}, stall: site.stall}
	for _, name := range opts.Hosts {
		g.hosts[strings.ToLower(name)] = true
	}
	if opts.Token != "" {
		sum := sha256.Sum256([]byte(opts.Token))
		g.token = sum[:]
	}
	if opts.OAuth != nil {
		g.oauth = newResourceServer(opts.OAuth, site.log)
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	touched(r.Context())
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(g.stall))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == healthPath:
		health(w, r) // reveals nothing
	case r.URL.Path == readyPath:
		g.site.ready(w, r)
	case g.local && !g.mayName(r.Host):
		http.Error(w, "the Host header names another host; expected localhost, or a name given by --http-allow-host", http.StatusForbidden)
	case !g.mayOrigin(r.Header["Origin"]):
		http.Error(w, "the Origin header names a page that may not call this server; allow its host by --http-allow-host", http.StatusForbidden)
	case g.oauth.publishes(r.URL.Path): // without a token: clients look for metadata before they have one
		g.oauth.publish(w, r)
	case isOAuthPath(r.URL.Path):
		notFound(w)
	default:
		if r = g.admit(w, r); r != nil {
			g.serve(w, r)
		}
	}
}

// admit returns the request if its token is right, with the identity of the client if it is an
// access token. Otherwise it answers the request and returns nil.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) *http.Request {
	switch {
	case g.token == nil && g.oauth == nil, g.token != nil && g.knows(bearer(r.Header["Authorization"])):
		return r
	case g.oauth != nil:
		return g.oauth.admit(w, r)
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="toolgraph"`)
	http.Error(w, "expected the header Authorization: Bearer TOKEN with this server's token", http.StatusUnauthorized)
	return nil
}

// serve handles a request that is admitted.
func (g *guard) serve(w http.ResponseWriter, r *http.Request) {
	if metrics := g.site.opts.Metrics; r.URL.Path == metricsPath && metrics != nil {
		metrics.ServeHTTP(w, r)
		return
	}
	if e := g.site.at(r.URL.Path); e != nil {
		e.ServeHTTP(w, r)
		return
	}
	http.Error(w, "not found; "+endpointsText(g.site.Paths()), http.StatusNotFound)
}

// mostPaths are named where a path is wrong.
const mostPaths = 10

func endpointsText(paths []string) string {
	switch n := len(paths); {
	case n == 0:
		return "no graph file is served now"
	case n == 1:
		return "the MCP endpoint is " + paths[0]
	case n > mostPaths:
		return "the MCP endpoints are " + strings.Join(paths[:mostPaths], ", ") + " and " + strconv.Itoa(n-mostPaths) + " more"
	}
	return "the MCP endpoints are " + strings.Join(paths, ", ")
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
func (g *guard) knows(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token) == 1
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
