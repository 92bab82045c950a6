package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"toolgraph/internal/serving/server"
)

// Site serves the pages of graph files at one address: the only one at /, several each at the path of its name. One
// token opens a session for all of them.
type Site struct {
	pages []*Server
}

// NewSite returns a site of at least one page. Several have names, which are different.
func NewSite(pages ...*Server) *Site {
	first := pages[0]
	for _, s := range pages[1:] {
		s.token, s.cookie, s.site, first.site = first.token, first.cookie, pages, pages
	}
	return &Site{pages: pages}
}

// URL returns the address to open. The token is its fragment, which browsers do not send, and have still after a redirect.
func (s *Site) URL(on net.Addr) string {
	return fmt.Sprintf("http://%s/#token=%s", on, s.pages[0].token)
}

// path is that of the page at its site.
func (s *Server) path() string {
	if s.site == nil {
		return "/"
	}
	return "/" + s.opts.Name + "/"
}

// fileJSON is a graph file whose page is at the same site.
type fileJSON struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its page
}

// filesOfSite are those of all pages; none when this is the only one.
func (s *Server) filesOfSite() []fileJSON {
	all := []fileJSON{}
	for _, other := range s.site {
		all = append(all, fileJSON{Name: other.opts.Name, Path: other.path()})
	}
	return all
}

// Handler returns the handler of the requests to an address. The address itself leads to the first page.
func (s *Site) Handler(on net.Addr) http.Handler {
	if len(s.pages) == 1 {
		return s.pages[0].handler(on)
	}
	mux := http.NewServeMux()
	for _, p := range s.pages {
		mux.Handle(p.path(), http.StripPrefix(strings.TrimSuffix(p.path(), "/"), p.handler(on)))
	}
	mux.Handle("GET /{$}", &guard{on: on.String(), cookie: s.pages[0].cookie, next: http.RedirectHandler(s.pages[0].path(), http.StatusFound)})
	return mux
}

// Serve serves until ctx ends, which is a regular end and gives nil. It closes the
// listener, which must be on loopback, and returns when its goroutines have ended; runs
// are stopped.
func (s *Site) Serve(ctx context.Context, on net.Listener) error {
	if addr, ok := on.Addr().(*net.TCPAddr); !ok || !addr.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("%s can be reached by other machines; the page needs a loopback address", on.Addr()), on.Close())
	}
	srv := &http.Server{
		Handler: s.Handler(on.Addr()), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.pages[0].opts.Logger.Handler(), slog.LevelDebug),
	}
	for _, p := range s.pages {
		if p.opts.Store != nil {
			p.live.Go(p.followStore)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(server.LimitConns(on, mostConns)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = srv.Close() // the browser sees that the page has ended
		if err = <-ended; errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
	}
	for _, p := range s.pages {
		p.stop()
		p.opts.Controller.Close()
	}
	for _, p := range s.pages {
		p.live.Wait()
	}
	return err
}
