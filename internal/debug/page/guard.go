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

// guard lets a request through that comes from our own page: no other page of the
// browser, and no name that leads here by DNS, gets anything.
type guard struct {
	next   http.Handler
	on     string // the address that is served
	cookie string
}

const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
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
	if !g.mayName(r.Host) {
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
	if r.URL.Path != "/api/session" && !g.knows(r) {
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

// mayName reports whether a Host header is this machine's with our port.
func (g *guard) mayName(host string) bool {
	name, port, err := net.SplitHostPort(host)
	_, ours, _ := net.SplitHostPort(g.on) // an address of a listener always splits
	if err != nil || port != ours {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}

func (g *guard) knows(r *http.Request) bool {
	c, err := r.Cookie(cookieName(g.on))
	return err == nil && same(c.Value, g.cookie)
}

// cookieName has the port, because browsers share cookies among the ports of a host.
func cookieName(on string) string {
	_, port, _ := net.SplitHostPort(on) // an address of a listener always splits
	return "toolgraph-" + port
}

// same compares without telling by its time how much was right.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
