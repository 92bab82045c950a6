package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/server"
)

// tokenVariable holds the token when no file does.
const tokenVariable = "TOOLGRAPH_HTTP_TOKEN"

const (
	minToken     = 16       // characters
	maxTokenFile = 64 << 10 // bytes

	defaultHTTPGrace = 10 * time.Second
)

type httpFlags struct {
	address     string
	allowRemote bool
	tokenFile   string
	hosts       []string
	proxies     []string
	grace       time.Duration
	together    bool
	oauth       oauthFlags
}

func (f *httpFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "http", "", "`address` to serve streamable HTTP at instead of stdio; :8080 means 127.0.0.1:8080")
	cmd.Flags().BoolVar(&f.allowRemote, "http-allow-remote", false, "allow an --http address that other machines can reach; requires a token or OAuth")
	cmd.Flags().StringVar(&f.tokenFile, "http-token-file", "", "`file` with the bearer token that clients must send (default $"+tokenVariable+")")
	cmd.Flags().StringSliceVar(&f.hosts, "http-allow-host", nil, "additional `host` name to accept in Host and Origin headers, such as a proxy's; may be repeated")
	cmd.Flags().DurationVar(&f.grace, "http-grace", defaultHTTPGrace, "time that calls in flight get to finish when the process is stopped")
	cmd.Flags().StringSliceVar(&f.proxies, "http-trusted-proxy", nil, "`address or network` that many clients share, so that it may have more connections; may be repeated")
	cmd.Flags().BoolVar(&f.together, "http-together", false, "serve the tools of several files at /mcp, too; their names must be different")
	f.oauth.register(cmd)
}

// registerObserved adds the flags of a process that serves no client, only /metrics, /healthz and /readyz.
func (f *httpFlags) registerObserved(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "http", "", "`address` to serve /metrics, /healthz and /readyz at; :8080 means 127.0.0.1:8080")
	cmd.Flags().BoolVar(&f.allowRemote, "http-allow-remote", false, "allow an --http address that other machines can reach; requires a token")
	cmd.Flags().StringVar(&f.tokenFile, "http-token-file", "", "`file` with the bearer token that /metrics requires (default $"+tokenVariable+")")
	cmd.Flags().StringSliceVar(&f.hosts, "http-allow-host", nil, "additional `host` name to accept in Host headers; may be repeated")
	f.grace = defaultHTTPGrace
}

// httpListener is a valid address to serve at, with its options.
type httpListener struct {
	address *net.TCPAddr
	grace   time.Duration
	options server.HTTPOptions
	oauth   *oauthFlags
	std     Streams
}

// listener checks the flags; it is nil without --http.
func (f *httpFlags) listener() (*httpListener, error) {
	if f.address == "" {
		if f.allowRemote || f.tokenFile != "" || len(f.hosts) > 0 || len(f.proxies) > 0 || f.together || f.grace != defaultHTTPGrace {
			return nil, Usagef("the --http-… flags require --http ADDR")
		}
		if f.oauth.given() {
			return nil, Usagef("the --oauth-… flags require --http ADDR")
		}
		return nil, nil //nolint:nilnil // stdio
	}
	if f.grace <= 0 {
		return nil, Usagef("--http-grace is %v, expected more than 0", f.grace)
	}
	address, err := listenAddress(f.address)
	if err != nil {
		return nil, err
	}
	shared, err := sharedAddresses(f.proxies)
	if err != nil {
		return nil, err
	}
	token, err := f.token()
	if err != nil {
		return nil, err
	}
	oauth, err := f.oauth.resourceServer()
	if err != nil {
		return nil, err
	}
	hosts := f.hosts
	if oauth != nil {
		hosts = append(slices.Clone(hosts), oauth.Resource.Hostname())
	}
	if !address.IP.IsLoopback() {
		switch {
		case !f.allowRemote:
			return nil, Usagef("other machines can reach --http %s; listen on 127.0.0.1:%d, or add --http-allow-remote and a token", f.address, address.Port)
		case token == "" && oauth == nil:
			return nil, Usagef("--http-allow-remote requires a token; name its file with --http-token-file, or set %s, or accept access tokens with --oauth-issuer", tokenVariable)
		}
	}
	return &httpListener{
		address: address, grace: f.grace, options: server.HTTPOptions{Token: token, OAuth: oauth, Hosts: hosts, Shared: shared}, oauth: &f.oauth,
	}, nil
}

// sharedAddresses reads the addresses that many clients share. Loopback is one of them: it is that of
// all programs of this machine, and of a proxy on it.
func sharedAddresses(texts []string) ([]netip.Prefix, error) {
	all := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if ip, single := netip.ParseAddr(text); single == nil {
			p, err = ip.Unmap().Prefix(ip.Unmap().BitLen())
		}
		if err != nil {
			return nil, Usagef("--http-trusted-proxy is %s, expected an address such as 10.0.0.5 or a network such as 10.0.0.0/24", wording.Quote(text))
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// listenAddress reads an address: HOST:PORT, :PORT or PORT, on loopback without a host.
func listenAddress(text string) (*net.TCPAddr, error) {
	full := text
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		full = ":" + text
	}
	if strings.HasPrefix(full, ":") {
		full = "127.0.0.1" + full
	}
	address, err := net.ResolveTCPAddr("tcp", full)
	if err != nil || address.IP == nil {
		return nil, Usagef("--http is %q, expected HOST:PORT or :PORT", text)
	}
	return address, nil
}

// token returns the token, "" without one.
func (f *httpFlags) token() (string, error) {
	token, from := os.Getenv(tokenVariable), tokenVariable
	if f.tokenFile != "" {
		from = f.tokenFile
		info, err := os.Stat(from)
		if err != nil {
			return "", err
		}
		if !info.Mode().IsRegular() || info.Size() > maxTokenFile {
			return "", Usagef("%s is not a token file, expected a regular file of at most %d bytes", from, maxTokenFile)
		}
		src, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		token = strings.TrimSpace(string(src))
	} else if token == "" {
		return "", nil
	}
	if len(token) < minToken {
		return "", Usagef("the token in %s has %d characters, expected at least %d; make one with: openssl rand -hex 32", from, len(token), minToken)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", Usagef("the token in %s has a character that is not allowed in a header, expected printable ASCII without spaces", from)
	}
	return token, nil
}

// Serve listens and serves until ctx ends.
func (l *httpListener) Serve(ctx context.Context, s *runtime.Served) error {
	l.options.Metrics, l.options.Ready, l.options.State = s.Metrics, s.Ready, s.State
	if o := l.options.OAuth; o != nil {
		v, err := l.oauth.verifier(o.Resource, s.Log)
		if err != nil {
			return fmt.Errorf("OAuth: %w", err)
		}
		o.Verify = v.Verify
	}
	network := "tcp" // for which 0.0.0.0 includes all IPv6 addresses
	if l.address.IP.To4() != nil {
		network = "tcp4"
	}
	listener, err := net.ListenTCP(network, l.address)
	if err != nil {
		return err
	}
	if s.Listening != nil {
		if err := s.Listening(listener.Addr().String()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	warning := ""
	if l.options.Token == "" && l.options.OAuth == nil {
		warning = ", without a token"
	}
	site := server.NewSite(ctx, l.options, s.Log, l.grace, 0)
	if s.Server != nil {
		site.Put(server.Endpoint, s.Server)
	}
	if s.Each != nil {
		s.Each(site)
	}
	if s.Server == nil && s.Each == nil {
		fmt.Fprintf(l.std.Err, "toolgraph: metrics at http://%s/metrics%s\n", listener.Addr(), warning)
	} else {
		fmt.Fprintf(l.std.Err, "toolgraph: serving %s at http://%s%s%s (Ctrl-C ends)\n", s.Title, listener.Addr(), pathsText(site.Paths()), warning)
	}
	return site.Serve(ctx, listener)
}

// pathsText names the paths of a site: those of several graph files by their form.
func pathsText(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return "/NAME" + server.Endpoint
}
