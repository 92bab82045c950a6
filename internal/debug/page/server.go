package page

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/internal/debug"
	"toolgraph/internal/server"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	bodyTimeout   = 30 * time.Second // for the body of a request
	writeTimeout  = 30 * time.Second // for one answer, and for one event of a stream
	maxHeader     = 32 << 10
	maxBody       = 16 << 20
	mostConns     = 128 // a browser opens a few for each page
)

// Options of New.
type Options struct {
	Controller *debug.Controller // makes and holds the runs
	Project    Project
	Store      *journal.Store // kept runs; nil: there are only those of this process
	Version    string         // of the program
	Logger     *slog.Logger
}

// Server is the debugger's page. Safe for concurrent use.
type Server struct {
	opts   Options
	token  string // of the printed address
	cookie string // what the token is traded for
	hub    *hub
	films  films
	looks  chan struct{}  // a place for each request that evaluates
	look   time.Duration  // what it may take, waiting included
	live   sync.WaitGroup // goroutines that watch runs

	questions questions

	mu      sync.Mutex // guards what follows
	project *loaded
	found   config.Diagnostics // of the file as it is now, when that is not the project's
	source  string
	base    context.Context // of the runs: the serving's own
	cut     context.CancelFunc
}

// New makes a server that is not serving yet.
func New(opts Options) *Server {
	base, cut := context.WithCancel(context.Background())
	s := &Server{opts: opts, token: rand.Text(), cookie: rand.Text(), hub: newHub(), looks: make(chan struct{}, mostLooks), look: lookBudget, base: base, cut: cut}
	s.films.runs = map[string]*film{}
	s.project = newLoaded(opts.Project)
	s.found, s.source = opts.Project.Warnings, opts.Project.Source
	return s
}

// URL is the address to open: the token is its fragment, which browsers do not send.
func (s *Server) URL(on net.Addr) string { return fmt.Sprintf("http://%s/#token=%s", on, s.token) }

// Serve serves until ctx ends, which is a regular end and gives nil. It closes the
// listener, which must be on loopback, and returns when its goroutines have ended; runs
// are stopped.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	if addr, ok := on.Addr().(*net.TCPAddr); !ok || !addr.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("%s is an address that other machines reach; the page is for this machine alone", on.Addr()), on.Close())
	}
	srv := &http.Server{
		Handler: s.Handler(on.Addr()), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(server.LimitConns(on, mostConns)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = srv.Close() // the browser sees that we are gone
		if err = <-ended; errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
	}
	s.cut()
	s.opts.Controller.Close()
	s.live.Wait()
	return err
}

// Handler answers the requests that come in on an address.
func (s *Server) Handler(on net.Addr) http.Handler {
	mux := http.NewServeMux()
	s.routes(mux)
	return &guard{next: mux, on: on.String(), cookie: s.cookie}
}

func (s *Server) routes(mux *http.ServeMux) {
	routeFiles(mux)
	mux.HandleFunc("POST /api/session", s.openSession)
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/project":               s.getProject,
		"GET /api/source":                s.getSource,
		"GET /api/graphs/{tool}":         s.getGraph,
		"GET /api/runs":                  s.listRuns,
		"POST /api/runs":                 s.startRun,
		"GET /api/runs/{id}":             s.getRun,
		"GET /api/runs/{id}/path":        s.getPath,
		"GET /api/runs/{id}/steps":       s.listSteps,
		"GET /api/runs/{id}/steps/{n}":   s.getStep,
		"GET /api/runs/{id}/value":       s.getValue,
		"POST /api/runs/{id}/control":    s.control,
		"PUT /api/runs/{id}/breakpoints": s.setBreakpoints,
		"POST /api/runs/{id}/edit":       s.edit,
		"POST /api/runs/{id}/evaluate":   s.evaluate,
		"POST /api/runs/{id}/watch":      s.watchAt,
		"GET /api/diff":                  s.diff,
		"GET /api/questions":             s.listQuestions,
		"POST /api/questions/{id}":       s.answerQuestion,
	} {
		mux.HandleFunc(pattern, answering(answer))
	}
	mux.HandleFunc("GET /api/runs/{id}/whole", s.getWhole)
	mux.HandleFunc("GET /api/events", s.stream)
}
