package temporal

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/converter"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

const (
	// mostCodecBody is how many bytes a request to the codec server may have.
	mostCodecBody = 16 << 20
	// codecTime bounds the reading of a request, and the writing of its answer.
	codecTime = 30 * time.Second
	// leastToken is how many characters a token has at least.
	leastToken = 16
	// preflightAge is for how many seconds a browser may remember that requests are allowed.
	preflightAge = "600"
)

// codecFlags are the flags of the command codec.
type codecFlags struct {
	listen, keysFile  string
	origins           []string
	tokenFile         string
	certificate, key  string
	allowPlain        bool
	certificateParsed tls.Certificate
}

func newCodec(std program.Streams) *cobra.Command {
	f := &codecFlags{}
	cmd := &cobra.Command{
		Use:   "codec",
		Short: "Decrypt what Temporal stores, for its web UI and its CLI",
		Long: `Serve the codec endpoint of Temporal's web UI and CLI: POST /decode and /encode. The browser, or the
CLI, sends what the Temporal server has stored, and gets it decrypted. Neither the keys nor the
decrypted values reach the Temporal server.

Web pages of other origins than those of --allow-origin are refused. With --token-file each request needs
the header Authorization: Bearer TOKEN. An address that other machines can reach requires a token, and
TLS (--listen-cert, --listen-key), or --allow-plain behind a proxy that has TLS.`,
		Example: `  toolgraph-temporal codec --encryption-keys keys --allow-origin http://localhost:8233
  temporal workflow show --workflow-id RUN --codec-endpoint http://127.0.0.1:8234`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return program.Usagef("codec takes no arguments, got %q", args[0])
			}
			return f.run(cmd.Context(), std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8234", "`host:port` to serve at")
	flags.StringVar(&f.keysFile, "encryption-keys", "", "`file` with the keys, as those of serve and worker (default $"+keysVariable+")")
	flags.StringSliceVar(&f.origins, "allow-origin", nil, "`origin` of a web UI that may ask, such as http://localhost:8233; may be repeated")
	flags.StringVar(&f.tokenFile, "token-file", "", "`file` with the bearer token that requests must have")
	flags.StringVar(&f.certificate, "listen-cert", "", "PEM `file` with the certificate of this server, for TLS")
	flags.StringVar(&f.key, "listen-key", "", "PEM `file` with the key of that certificate")
	flags.BoolVar(&f.allowPlain, "allow-plain", false, "allow an address that other machines can reach without TLS, for a proxy that has it")
	return cmd
}

// run serves until ctx ends.
func (f *codecFlags) run(ctx context.Context, std program.Streams) error {
	handler, err := f.handler()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	scheme := "http"
	if f.certificate != "" {
		scheme = "https"
		listener = tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{f.certificateParsed}})
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: codecTime, ReadTimeout: codecTime, WriteTimeout: codecTime, IdleTimeout: 2 * codecTime, MaxHeaderBytes: 16 << 10,
	}
	std.Printf("toolgraph-temporal: codec at %s://%s (Ctrl-C ends)", scheme, listener.Addr())
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
		defer cancel()
		_ = server.Shutdown(last) // what takes longer is cut off
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler checks the flags and returns what serves requests.
func (f *codecFlags) handler() (http.Handler, error) {
	keys, err := loadKeys(f.keysFile)
	if err != nil {
		return nil, err
	}
	if keys == nil {
		return nil, program.Usagef("codec has no keys; name the file of serve and worker with --encryption-keys, or set %s", keysVariable)
	}
	c := &codecServer{origins: f.origins, next: http.MaxBytesHandler(converter.NewPayloadCodecHTTPHandler(codec{keys: keys}), mostCodecBody)}
	for _, origin := range f.origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != origin {
			return nil, program.Usagef("--allow-origin is %s, expected a scheme, a host and perhaps a port, such as https://temporal.example.com", wording.Quote(origin))
		}
	}
	if f.tokenFile != "" {
		if c.token, err = readToken(f.tokenFile); err != nil {
			return nil, err
		}
	}
	switch {
	case (f.certificate == "") != (f.key == ""):
		return nil, program.Usagef("--listen-cert and --listen-key belong together; name both files")
	case f.certificate != "":
		if f.certificateParsed, err = tls.LoadX509KeyPair(f.certificate, f.key); err != nil {
			return nil, fmt.Errorf("--listen-cert, --listen-key: %w", err)
		}
	}
	if isLoopback(f.listen) {
		return c, nil
	}
	switch {
	case f.certificate == "" && !f.allowPlain:
		return nil, program.Usagef("other machines can reach --listen %s, and decrypted values would travel in plain text; listen on 127.0.0.1, or add --listen-cert and --listen-key, or --allow-plain behind a proxy that has TLS", f.listen)
	case c.token == "":
		return nil, program.Usagef("other machines can reach --listen %s; require a token with --token-file", f.listen)
	}
	return c, nil
}

// readToken reads a bearer token.
func readToken(path string) (string, error) {
	src, err := readSecretFile(path, maxKeyFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(src))
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s has no token, expected one line of at least %d printable ASCII characters; make one with: openssl rand -hex 32", path, leastToken)
	}
	return token, nil
}

// codecServer decrypts for the pages of some origins, and for programs, which have none.
type codecServer struct {
	origins []string
	token   string // empty: none is required
	next    http.Handler
}

// ServeHTTP answers a request, or the question of a browser whether its page may make one.
func (c *codecServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	w.Header().Set("Cache-Control", "no-store")
	if origin := r.Header.Get("Origin"); origin != "" {
		if !slices.Contains(c.origins, origin) {
			http.Error(w, "pages of this origin may not ask; allow it with --allow-origin", http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		if r.Method == http.MethodOptions {
			c.preflight(w, r)
			return
		}
	}
	if !c.isAllowed(r.Header.Get("Authorization")) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the token is missing or wrong; send the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		return
	}
	c.next.ServeHTTP(w, r)
}

// preflight says what the pages of an allowed origin may send.
func (c *codecServer) preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Namespace")
	h.Set("Access-Control-Max-Age", preflightAge)
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}

// isAllowed compares the token of a request in constant time.
func (c *codecServer) isAllowed(header string) bool {
	got, want := sha256.Sum256([]byte(header)), sha256.Sum256([]byte("Bearer "+c.token))
	return c.token == "" || subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
