package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

const redirectsMost = 5

var (
	errBodyTooLarge = errors.New("the answer is too large")
	errElsewhere    = errors.New("the request would leave the server's origin")
	errRedirects    = errors.New("too many redirects")
)

// newHTTPClient returns a client for one origin. It takes no proxy from the environment,
// dials only addresses that its gate allows, sends nothing, headers least of all, to
// another origin, and bounds what it reads. Requests are bounded in time by their
// contexts. Certificates are always checked. auth gives each request its token, unless it
// is nil.
func newHTTPClient(origin *url.URL, conf settings, auth *authorizer) *http.Client {
	wire := newTransport(gateTo(origin, conf), 90*time.Second)
	return &http.Client{
		Transport: &guard{Transport: wire, origin: origin, limit: conf.maxMessage, auth: auth},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > redirectsMost {
				return errRedirects
			}
			return nil
		},
	}
}

// newTransport returns a transport that dials through a gate, and drops connections that
// are idle for some time.
func newTransport(g gate, idle time.Duration) *http.Transport {
	return &http.Transport{
		DialContext: g.dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout: idle, MaxIdleConnsPerHost: 32, MaxResponseHeaderBytes: 256 << 10,
	}
}

// guard is the round tripper that enforces those rules.
type guard struct {
	*http.Transport
	origin *url.URL
	limit  int
	auth   *authorizer // nil: requests are sent as they are
}

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != g.origin.Scheme || req.URL.Host != g.origin.Host {
		closeBody(req)
		return nil, fmt.Errorf("%w: to %s", errElsewhere, req.URL.Host)
	}
	send := g.fetch
	if g.auth != nil {
		send = g.authorized
	}
	resp, err := send(req)
	if err != nil {
		return nil, err
	}
	return judge(req, resp)
}

// closeBody closes the body of a request that is not sent, as a round tripper must.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

func (g *guard) fetch(req *http.Request) (*http.Response, error) {
	resp, err := g.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	limit := g.limit
	if resp.StatusCode >= 300 {
		limit = min(limit, errorBodyMost)
	}
	x := exchangeOf(req)
	resp.Body = &boundedBody{ReadCloser: resp.Body, limit: limit, events: kind == "text/event-stream", x: x}
	if x != nil && x.direct && resp.StatusCode < 300 {
		err = x.check(kind, resp)
	}
	return resp, err
}

// boundedBody fails when a body, or one event of a stream of events, exceeds the
// limit. It sees the body decompressed.
type boundedBody struct {
	io.ReadCloser
	limit   int
	events  bool
	seen    int  // bytes of the body, or of the event so far
	newline bool // the last byte, apart from returns, was one
	failed  error
	x       *exchange // may be nil
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.ReadCloser.Read(p)
	if b.events {
		b.count(p[:n])
	} else {
		b.seen += n
	}
	if b.seen > b.limit {
		b.failed = b.x.fail(fmt.Errorf("%w: more than %d bytes", errBodyTooLarge, b.limit))
		return 0, b.failed
	}
	return n, err
}

// count starts anew at each blank line.
func (b *boundedBody) count(p []byte) {
	for _, c := range p {
		b.seen++
		switch c {
		case '\n':
			if b.newline {
				b.seen = 0
			}
			b.newline = true
		case '\r':
		default:
			b.newline = false
		}
		if b.seen > b.limit {
			return
		}
	}
}

// privateAddressError is an address that a client refused to dial. Without the refusal,
// the owner of a name could reach into the network of this machine.
type privateAddressError struct {
	ip    netip.Addr
	never bool // no setting of a server allows it
}

func (e *privateAddressError) Error() string {
	if e.never {
		return fmt.Sprintf("it leads to %s, a link-local or cloud metadata address, which is never contacted", e.ip)
	}
	return fmt.Sprintf("it leads to %s, which is not a public address", e.ip)
}

// refused are the ranges that are not public beyond those that netip knows.
var refused = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fec0::/10",
)

// forbidden are the ranges that no client dials, whatever a file allows: link-local addresses,
// and those at which clouds hand credentials to their machines (Azure, Alibaba, Oracle, then the
// IPv6 forms of AWS, Google and Scaleway).
var forbidden = prefixes(
	"169.254.0.0/16", "fe80::/10",
	"168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32",
	"fd00:ec2::/32", "fd20:ce::/32", "fd00:42::42/128",
)

// The forms of IPv6 that carry an IPv4 address, apart from those with fixed bytes.
var (
	teredo     = prefixes("2001::/32")
	siteNAT64  = prefixes("64:ff9b:1::/48")
	translated = prefixes("::/96", "64:ff9b::/96", "::ffff:0:0:0/96") // compatible, NAT64, SIIT
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

func within(ip netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// isPublic reports whether ip is an ordinary address of the internet. Forms that
// carry an IPv4 address inside (mapped, 6to4, NAT64, Teredo) are not.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !within(ip, refused) && !isForbidden(ip)
}

// isForbidden reports whether ip is forbidden, or carries an IPv4 address that is.
func isForbidden(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return within(ip, forbidden) ||
		slices.ContainsFunc(carried(ip), func(inner netip.Addr) bool { return within(inner, forbidden) })
}

// carried returns the IPv4 addresses that tunnels and translators read out of an IPv6 address.
func carried(ip netip.Addr) []netip.Addr {
	if !ip.Is6() {
		return nil
	}
	b := ip.As16()
	v4 := func(at ...int) netip.Addr { return netip.AddrFrom4([4]byte{b[at[0]], b[at[1]], b[at[2]], b[at[3]]}) }
	last := v4(12, 13, 14, 15)
	switch {
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		return []netip.Addr{v4(2, 3, 4, 5)}
	case within(ip, teredo): // the server, and the client with its bits inverted
		return []netip.Addr{v4(4, 5, 6, 7), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	case within(ip, siteNAT64): // RFC 6052 has four layouts
		return []netip.Addr{last, v4(6, 7, 9, 10), v4(7, 9, 10, 11), v4(9, 10, 11, 12)}
	case within(ip, translated),
		b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return []netip.Addr{last}
	}
	return nil
}

// gate decides which addresses a client dials. It checks the very address that is dialled,
// after the name was resolved, so that a second answer of a name server cannot bypass it.
//
// With AllowPrivate, the host of the server's url may have any address that is not
// forbidden. With NamesLoopback, the file itself names this loopback host and port.
type gate struct {
	settings
	host, port string // of the server's url
}

// gateTo returns the gate for the server at this address.
func gateTo(address *url.URL, conf settings) gate {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return gate{settings: conf, host: address.Hostname(), port: port}
}

// check returns the reason not to dial ip for a request to host and port, or nil.
func (g gate) check(host, port string, ip netip.Addr) error {
	ip = ip.Unmap()
	own := g.names(host)
	switch {
	case isForbidden(ip):
		return &privateAddressError{ip: ip, never: true}
	case isPublic(ip), own && g.AllowPrivate, own && g.NamesLoopback && port == g.port && ip.IsLoopback():
		return nil
	}
	return &privateAddressError{ip: ip}
}

// names reports whether the server's url names this host.
func (g gate) names(host string) bool {
	a, errA := netip.ParseAddr(g.host)
	b, errB := netip.ParseAddr(host)
	if errA == nil && errB == nil {
		return a == b
	}
	return strings.EqualFold(strings.TrimSuffix(g.host, "."), strings.TrimSuffix(host, "."))
}

// dial is the DialContext of an http.Transport.
func (g gate) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{
		Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: g.resolver,
		Control: func(_, to string, _ syscall.RawConn) error {
			resolved, err := netip.ParseAddrPort(to)
			if err != nil {
				return fmt.Errorf("the address %q cannot be read: %w", to, err)
			}
			if err := g.check(host, port, resolved.Addr()); err != nil || g.connected == nil {
				return err
			}
			return g.connected(host, to)
		},
	}
	return dialer.DialContext(ctx, network, address)
}
