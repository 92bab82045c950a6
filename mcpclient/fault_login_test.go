package mcpclient

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// refusedLogin is the error of a login at which the user must not be asked to agree.
func refusedLogin(t testing.TB, g *guarded, opts ...Option) string {
	t.Helper()
	p := pool(t, g.upstream("/mcp"), append([]Option{withAdjust(allowPrivate), WithTokenDir(t.TempDir())}, opts...)...)
	err := login(t, p, func(address string) {
		t.Errorf("the user was sent to %s", address)
		agree(t)(address) // so that the login ends
	})
	if err == nil {
		t.Fatal("the login went on")
	}
	return err.Error()
}

func TestV09AuthorizationServersWithoutPKCE(t *testing.T) {
	const field = "code_challenge_methods_supported"
	for _, place := range []string{"oauth-authorization-server", "openid-configuration"} {
		for name, c := range map[string]struct {
			change func(map[string]any)
			want   string
		}{
			"missing": {func(m map[string]any) { delete(m, field) }, "have no code_challenge_methods_supported"},
			"null":    {func(m map[string]any) { m[field] = nil }, "have no code_challenge_methods_supported"},
			"empty":   {func(m map[string]any) { m[field] = []string{} }, "have no code_challenge_methods_supported"},
			"plain":   {func(m map[string]any) { m[field] = []string{"plain", "s256"} }, "does not list S256"},
		} {
			t.Run(place+" "+name, func(t *testing.T) {
				g := newGuarded(t, 3600)
				g.published, g.describe = place, c.change
				said := refusedLogin(t, g)
				for _, want := range []string{strings.TrimPrefix(g.issuer.URL, "http://"), "does not declare support of PKCE with S256", c.want, "ask its operator to add it, or give a token in headers"} {
					if !strings.Contains(said, want) {
						t.Errorf("%q is missing in %q", want, said)
					}
				}
				if g.registered != 0 {
					t.Error("a client was registered there")
				}
			})
		}
		t.Run(place, func(t *testing.T) {
			g := newGuarded(t, 3600)
			g.published = place
			loggedIn(t, g)
		})
	}
	t.Run("no metadata", func(t *testing.T) {
		g := newGuarded(t, 3600)
		g.published = "elsewhere"
		if said := refusedLogin(t, g); !strings.Contains(said, "it publishes no metadata that can be read") {
			t.Errorf("got %q", said)
		}
	})
}

// diary is what was connected to; only connections to 127.0.0.1 succeed.
type diary struct {
	mu  sync.Mutex
	all []string
}

func (d *diary) write(host, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, host+" at "+to)
	if !strings.HasPrefix(to, "127.0.0.1:") {
		return errors.New("the test connects to nothing else")
	}
	return nil
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.all)
}

// names is a resolver that knows these names only.
func names(known map[string]string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			for {
				var size [2]byte // a connection that is no packet connection speaks DNS over TCP
				if _, err := io.ReadFull(there, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(there, query); err != nil {
					return
				}
				answer := answerName(query, known)
				if _, err := there.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}

// answerName answers a query for an A record.
func answerName(query []byte, known map[string]string) []byte {
	name, at := "", 12
	for query[at] != 0 {
		name += string(query[at+1:at+1+int(query[at])]) + "."
		at += 1 + int(query[at])
	}
	question := query[12 : at+5]
	ip, err := netip.ParseAddr(known[strings.TrimSuffix(name, ".")])
	answers := byte(0)
	if err == nil && ip.Is4() && query[at+2] == 1 {
		answers = 1
	}
	out := append([]byte{query[0], query[1], 0x85, 0x80, 0, 1, 0, answers, 0, 0, 0, 0}, question...)
	if answers == 1 {
		a := ip.As4()
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		out = append(out, a[:]...)
	}
	return out
}

// Every address that metadata name, at hosts that must not be contacted. The server and
// its own authorization server are at 127.0.0.1, with allowPrivate.
func TestV10AddressesThatMetadataName(t *testing.T) {
	never := []string{
		"http://169.254.169.254", "https://169.254.169.254", "https://[::ffff:169.254.169.254]", "https://[fe80::1]", "https://[64:ff9b::a9fe:a9fe]",
		"https://[2002:a9fe:a9fe::1]", "https://[fd00:ec2::254]", "https://100.100.100.200", "https://168.63.129.16", "https://metadata.test", "https://2852039166", "https://0xa9.254.43518",
	}
	private := []string{"https://10.0.0.7", "https://192.168.1.1:8443", "https://[fd12::1]", "https://127.0.0.2", "https://[::1]", "https://localhost", "https://0.0.0.0", "https://inner.test", "http://inner.test"}
	resolver := names(map[string]string{"metadata.test": "169.254.169.254", "inner.test": "10.0.0.7", "2852039166": "169.254.169.254", "0xa9.254.43518": "169.254.169.254"})
	for _, field := range []string{"authorization_servers", "token_endpoint", "registration_endpoint", "authorization_endpoint", "jwks_uri", "issuer"} {
		for _, to := range slices.Concat(never, private) {
			if dialled := field == "token_endpoint" || field == "registration_endpoint" || field == "authorization_servers"; !dialled && strings.Contains(to, ".test") {
				continue // it is never looked up
			}
			t.Run(field+" "+to, func(t *testing.T) {
				g, seen := newGuarded(t, 3600), &diary{}
				at := to + "/latest/meta-data"
				change := func(m map[string]any) { m[field] = at }
				if field == "authorization_servers" {
					g.protect = func(m map[string]any) { m[field] = []string{at} }
				} else {
					g.describe = change
				}
				p := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(t.TempDir()), withAdjust(func(s *settings) {
					s.resolver, s.connected = resolver, seen.write
				}))
				ctx, stop := context.WithTimeout(context.Background(), patience)
				defer stop()
				_, err := p.Login(ctx, "fake", func(address string) {
					if mustURL(t, address).Hostname() == "127.0.0.1" {
						agree(t)(address)
						return
					}
					t.Errorf("the user was sent to %s", address)
					stop()
				})
				if field == "jwks_uri" {
					if err != nil { // the keys are not asked for
						t.Error(err)
					}
				} else if err == nil {
					t.Error("the login went on")
				} else if wants := field != "issuer" && slices.Contains(never, to); wants && !strings.Contains(err.Error(), "never contacted") && !strings.Contains(err.Error(), "is not a URL") {
					t.Errorf("got %v", err)
				}
				for _, line := range seen.read() {
					if !strings.HasPrefix(line, "127.0.0.1 at 127.0.0.1:") {
						t.Errorf("connected to %s", line)
					}
				}
			})
		}
	}
}

// What the gate lets through, address by address.
func TestV10Gate(t *testing.T) {
	set := settings{Upstream: config.Upstream{AllowPrivate: true}}
	own := gateTo(mustURL(t, "https://mcp.corp.test:8443/mcp"), set)
	for _, s := range []string{
		"169.254.169.254", "169.254.0.1", "169.254.170.2", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "::169.254.169.254", "64:ff9b::169.254.169.254",
		"64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:0:a9:fea9:fe00:0", "2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1", "2001:0:1:1::5601:5601", "::ffff:0:169.254.169.254",
		"2600::5efe:169.254.169.254", "2600::200:5efe:169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "100.100.100.200", "168.63.129.16", "192.0.0.192", "64:ff9b::100.100.100.200",
	} {
		var private *privateAddressError
		if err := own.check("mcp.corp.test", "8443", netip.MustParseAddr(s)); !errors.As(err, &private) || !private.never {
			t.Errorf("%s: %v", s, err)
		}
		if isPublic(netip.MustParseAddr(s)) {
			t.Errorf("%s passes for public", s)
		}
	}
	for _, c := range []struct {
		host, to string
		passes   bool
	}{
		{"mcp.corp.test", "10.0.0.5", true},
		{"MCP.corp.test.", "10.0.0.5", true},
		{"mcp.corp.test", "127.0.0.1", true},
		{"mcp.corp.test", "64:ff9b::10.0.0.5", true},
		{"auth.corp.test", "10.0.0.5", false},
		{"10.0.0.5", "10.0.0.5", false},
		{"evil.mcp.corp.test", "10.0.0.5", false},
		{"auth.corp.test", "::1", false},
		{"auth.corp.test", "8.8.8.8", true},
		{"auth.corp.test", "2600::1", true},
	} {
		if err := own.check(c.host, "443", netip.MustParseAddr(c.to)); (err == nil) != c.passes {
			t.Errorf("%s at %s: %v", c.host, c.to, err)
		}
	}
	if err := gateTo(mustURL(t, "http://10.0.0.5/mcp"), settings{}).check("10.0.0.5", "80", netip.MustParseAddr("10.0.0.5")); err == nil {
		t.Error("a private host passes without allowPrivate")
	}
}

// The server of the url itself is not at such an address either, whatever its entry says.
func TestV10TheServersOwnAddress(t *testing.T) {
	for _, url := range []string{"http://169.254.169.254/mcp", "http://[::ffff:a9fe:a9fe]/mcp", "http://[fd00:ec2::254]/mcp", "http://metadata.test/mcp"} {
		for _, kind := range []config.Transport{config.StreamableHTTP, config.SSE} {
			seen := &diary{}
			p := pool(t, &config.Upstream{Name: text("fake"), Transport: kind, URL: text(url)}, withAdjust(allowPrivate), withAdjust(func(s *settings) {
				s.resolver, s.connected = names(map[string]string{"metadata.test": "169.254.169.254"}), seen.write
			}))
			e := mustFail(t, p, "echo", `{}`, CodePrivateAddress)
			if !strings.Contains(e.Error(), "never contacted") || strings.Contains(e.Error(), "allowPrivate") || len(seen.read()) != 0 {
				t.Errorf("%s: %q, connected to %v", url, e, seen.read())
			}
		}
	}
}

// Redirects of OAuth requests go through the same gate, and nothing is posted again.
func TestV10RedirectsOfOAuth(t *testing.T) {
	for _, target := range []string{"http://169.254.169.254/x", "https://10.0.0.7/x", "/token2"} {
		g, seen := newGuarded(t, 3600), &diary{}
		var posted int
		inner := g.issuer.Config.Handler
		g.issuer.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/token2":
				posted++
			case r.URL.Path == "/token", strings.HasPrefix(r.URL.Path, "/.well-known") && target[0] != '/':
				http.Redirect(out, r, target, http.StatusTemporaryRedirect)
				return
			}
			inner.ServeHTTP(out, r)
		})
		p := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(t.TempDir()), withAdjust(func(s *settings) { s.connected = seen.write }))
		if err := login(t, p, agree(t)); err == nil {
			t.Errorf("%s: the login went on", target)
		}
		for _, line := range seen.read() {
			if !strings.HasPrefix(line, "127.0.0.1 at 127.0.0.1:") {
				t.Errorf("connected to %s", line)
			}
		}
		if posted != 0 {
			t.Error("the code was posted once more")
		}
	}
}
