package page

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// guard lets a request through that comes from the page itself: other pages of the
// browser, and host names that resolve to this machine, get nothing.
type guard struct {
	next   http.Handler
	on     string // the address that is served
	cookie string
}

// headers are those of every answer.
var headers = map[string]string{
	"Content-Security-Policy":      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	for name, content := range headers {
		w.Header().Set(name, content)
	}
	if err := g.check(r); err != nil {
		fail(w, err)
		return
	}
	if r.Method != http.MethodGet {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	g.next.ServeHTTP(w, r)
}

func (g *guard) check(r *http.Request) error {
	if !g.isHere(r.Host) {
		return errorf(http.StatusForbidden, "the Host header names another host than this machine")
	}
	if origins := r.Header["Origin"]; len(origins) > 1 || len(origins) == 1 && origins[0] != "http://"+r.Host {
		return errorf(http.StatusForbidden, "the Origin header names another page")
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		if r.URL.Path != "/" || r.Method != http.MethodGet { // a link may lead here
			return errorf(http.StatusForbidden, "the request comes from another page")
		}
	}
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		return nil
	}
	if c, err := r.Cookie(cookieName(g.on)); r.URL.Path != "/api/session" && (err != nil || !same(c.Value, g.cookie)) {
		return &failure{status: http.StatusUnauthorized, Message: "this browser has no session", Hint: "open the address that toolgraph ui printed, with its token"}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errorf(http.StatusUnsupportedMediaType, "expected the Content-Type application/json")
	}
	return nil
}

// isHere reports whether a Host header names this machine, with the port of the page.
func (g *guard) isHere(host string) bool {
	name, port, err := net.SplitHostPort(host)
	_, own, _ := net.SplitHostPort(g.on) // an address of a listener always splits
	if err != nil || port != own {
		return false
	}
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

// cookieName has the port, because browsers share cookies among the ports of a host.
func cookieName(on string) string {
	_, port, _ := net.SplitHostPort(on) // an address of a listener always splits
	return "toolgraph-" + port
}

// same compares in a time that does not depend on how much is equal.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// openSession exchanges the token for a cookie that scripts cannot read and that requests
// of other pages do not carry.
func (s *Server) openSession(w http.ResponseWriter, r *http.Request) {
	const most = 4 << 10 // bytes: the client is not authenticated yet
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var in struct{ Token string }
	if err := read(r, &in); err != nil {
		fail(w, err)
		return
	}
	if !same(in.Token, s.token) {
		fail(w, &failure{status: http.StatusUnauthorized, Message: "the token is wrong", Hint: "open the address that toolgraph ui printed last"})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r.Host), Value: s.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

// link returns the token to the page, which has a session, for a link that opens a session in another browser of
// this machine. Only a POST of JSON gets it, which no other page can send.
func (s *Server) link(*http.Request) (any, error) {
	return map[string]string{"token": s.token}, nil
}
