package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/internal/wording"
)

// tokenVariable is where the token may stand when no file has it.
const tokenVariable = "TOOLGRAPH_HTTP_TOKEN"

const (
	leastToken = 16       // letters
	mostToken  = 64 << 10 // bytes of its file

	defaultHTTPGrace = 10 * time.Second
)

type httpFlags struct {
	address     string
	allowRemote bool
	tokenFile   string
	hosts       []string
	grace       time.Duration
}

func (f *httpFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "http", "", "serve over streamable HTTP at this address instead of stdio; :8080 is 127.0.0.1:8080")
	cmd.Flags().BoolVar(&f.allowRemote, "http-allow-remote", false, "let --http be an address that other machines reach; wants a token")
	cmd.Flags().StringVar(&f.tokenFile, "http-token-file", "", "the file with the bearer token that clients must send; default: what "+tokenVariable+" holds")
	cmd.Flags().StringSliceVar(&f.hosts, "http-allow-host", nil, "a name that Host and Origin headers may have beside localhost, such as a proxy's")
	cmd.Flags().DurationVar(&f.grace, "http-grace", defaultHTTPGrace, "how long calls in flight go on when the process is told to end")
}

// httpFace is an address that may be served, and how.
type httpFace struct {
	address *net.TCPAddr
	options server.HTTPOptions
}

// face checks the flags; it is nil when HTTP is not wanted.
func (f *httpFlags) face() (*httpFace, error) {
	if f.address == "" {
		if f.allowRemote || f.tokenFile != "" || len(f.hosts) > 0 || f.grace != defaultHTTPGrace {
			return nil, usagef("the --http-… flags go with --http ADDR, which is not there")
		}
		return nil, nil //nolint:nilnil // no face is no error
	}
	if f.grace <= 0 {
		return nil, usagef("--http-grace is %v, expected more than 0", f.grace)
	}
	address, err := listenAddress(f.address)
	if err != nil {
		return nil, err
	}
	token, err := f.token()
	if err != nil {
		return nil, err
	}
	if !address.IP.IsLoopback() {
		switch {
		case !f.allowRemote:
			return nil, usagef("--http %s is an address that other machines reach; listen on 127.0.0.1:%d, or add --http-allow-remote and a token", f.address, address.Port)
		case token == "":
			return nil, usagef("--http-allow-remote wants a token: name its file with --http-token-file, or set %s", tokenVariable)
		}
	}
	return &httpFace{address: address, options: server.HTTPOptions{Token: token, Hosts: f.hosts}}, nil
}

// listenAddress reads an address: HOST:PORT, :PORT or PORT, on loopback where no host
// is named.
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
		return nil, usagef("--http is %q, expected HOST:PORT or :PORT", text)
	}
	return address, nil
}

// token reads the token; "" when there is none.
func (f *httpFlags) token() (string, error) {
	token, from := os.Getenv(tokenVariable), tokenVariable
	if f.tokenFile != "" {
		from = f.tokenFile
		info, err := os.Stat(from)
		if err != nil {
			return "", err
		}
		if !info.Mode().IsRegular() || info.Size() > mostToken {
			return "", usagef("%s is no file that holds a token", from)
		}
		src, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		token = strings.TrimSpace(string(src))
	} else if token == "" {
		return "", nil
	}
	if len(token) < leastToken {
		return "", usagef("the token in %s has %d characters, expected at least %d; make one with: openssl rand -hex 32", from, len(token), leastToken)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", usagef("the token in %s has a character that cannot stand in a header, expected letters, digits and signs", from)
	}
	return token, nil
}

// serve listens and serves until ctx ends.
func (f *httpFace) serve(ctx context.Context, srv *server.Server, std streams, p *project.Project) error {
	network := "tcp" // which takes 0.0.0.0 for all of IPv6 as well
	if f.address.IP.To4() != nil {
		network = "tcp4"
	}
	on, err := net.ListenTCP(network, f.address)
	if err != nil {
		return err
	}
	guarded := ""
	if f.options.Token == "" {
		guarded = ", without a token"
	}
	fmt.Fprintf(std.err, "toolgraph: serving %s of %s at http://%s%s%s (Ctrl-C ends)\n",
		wording.Count(len(p.Graphs), "tool"), p.File.Path, on.Addr(), server.Endpoint, guarded)
	return srv.ServeHTTP(ctx, on, f.options)
}
