package page

import (
	"context"
	"crypto/rand"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/web"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	bodyTimeout   = 30 * time.Second // for the body of a request
	writeTimeout  = 30 * time.Second // for one answer, and for one event of a stream
	patience      = 5 * time.Minute  // for an answer before which servers may have to be started
	maxHeader     = 32 << 10
	maxBody       = 16 << 20
	mostConns     = 128 // a browser opens a few for each page
)

// Options of New.
type Options struct {
	Name       string            // of the file, unique at its site: a part of the path of its page
	Controller *debug.Controller // starts the runs
	Project    Project
	File       File           // zero: the file is shown with the errors of loading it
	Store      *journal.Store // the recorded runs; nil: only those of this process are shown
	Version    string         // of the program

	// Cancel cancels a run that another process has, or none, and returns when it has ended. nil: such runs cannot be cancelled here.
	Cancel func(ctx context.Context, run string) error

	Logger *slog.Logger
}

// Server is the debugger's page. Safe for concurrent use.
type Server struct {
	opts   Options
	token  string    // of the printed address
	cookie string    // for which the token is exchanged
	site   []*Server // the pages of several files, this one too; nil: there is no other
	hub    *hub
	runs   runCache
	breaks breakpoints
	looks  chan struct{}  // has room for each request that evaluates
	look   time.Duration  // how long it may take, waiting included
	live   sync.WaitGroup // goroutines that follow runs
	base   context.Context
	stop   context.CancelFunc // of base, the context of the runs

	mu      sync.Mutex // guards what follows
	project *loaded
	found   config.Diagnostics // of the file as it is now
	source  string             // likewise
	checks  results
	open    []*question  // that wait for the user, the oldest first
	planned *graph.Graph // the plan that was checked last; nil: none
}

// New returns a server that does not serve yet.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, token: rand.Text(), cookie: rand.Text(), hub: newHub(), looks: make(chan struct{}, mostLooks), look: lookBudget,
		checks:  newResults(),
		project: newLoaded(opts.Project), found: opts.Project.Warnings, source: opts.Project.Source,
	}
	s.breaks.of = map[string][]debug.Breakpoint{}
	s.base, s.stop = context.WithCancel(context.Background())
	return s
}

// handler returns the handler of the requests to an address.
func (s *Server) handler(on net.Addr) http.Handler {
	mux := http.NewServeMux()
	for pattern, f := range map[string]endpoint{
		"GET /api/project":             s.getProject,
		"GET /api/source":              s.getSource,
		"PUT /api/source":              withBody(s.saveSource),
		"POST /api/check":              withBody(s.checkText),
		"POST /api/complete":           withBody(s.complete),
		"POST /api/describe":           withBody(s.describe),
		"GET /api/graphs/{tool}":       s.getGraph,
		"GET /api/runs":                s.listRuns,
		"GET /api/stats":               s.getStats,
		"GET /api/runs/{id}":           s.ofRun(func(_ *http.Request, now runState) (any, error) { return now.info, nil }),
		"GET /api/runs/{id}/graph":     s.ofRun(s.graphOfRun),
		"GET /api/runs/{id}/path":      s.ofRun(s.getPath),
		"GET /api/runs/{id}/steps":     s.ofRun(s.listSteps),
		"GET /api/runs/{id}/steps/{n}": s.ofRun(s.getStep),
		"GET /api/runs/{id}/parts":     s.ofRun(s.listParts),
		"GET /api/runs/{id}/times":     s.ofRun(s.getTimes),
		"GET /api/runs/{id}/lanes":     s.ofRun(s.getLanes),
		"GET /api/runs/{id}/find":      s.ofRun(s.findSteps),
		"GET /api/runs/{id}/latest":    s.ofRun(s.getLatest),
		"GET /api/runs/{id}/value":     s.ofRun(s.getValue),
		"GET /api/runs/{id}/search":    s.ofRun(s.searchValue),
		"GET /api/runs/{id}/table":     s.ofRun(s.tableOf),
		"GET /api/breakpoints":         s.listBreakpoints,
		"GET /api/breakpoints/{tool}":  s.getBreakpoints,
		"PUT /api/breakpoints/{tool}":  withBody(s.setBreakpoint),
		"POST /api/runs/{id}/edit":     withBody(s.edit),
		"POST /api/runs/{id}/evaluate": withBody(s.evaluate),
		"POST /api/runs/{id}/watch":    withBody(s.watchAt),
		"GET /api/runs/{id}/fork":      s.planFork,
		"POST /api/runs/{id}/fork":     withBody(s.fork),
		"GET /api/runs/{id}/resume":    s.planResume,
		"POST /api/runs/{id}/resume":   withBody(s.resume),
		"POST /api/runs/{id}/replay":   withBody(s.replay),
		"GET /api/diff":                s.diff,
		"POST /api/link":               s.link,
		"GET /api/questions":           s.listQuestions,
		"POST /api/questions/{id}":     withBody(s.answerQuestion),
	} {
		mux.HandleFunc(pattern, handler(f))
	}
	mux.HandleFunc("GET /api/suggestions", slow(handler(s.getSuggestions)))
	mux.HandleFunc("POST /api/suggestions", slow(handler(withBody(s.takeSuggestion))))
	mux.HandleFunc("POST /api/runs/{id}/control", slow(handler(withBody(s.control))))
	mux.HandleFunc("POST /api/plans", slow(handler(withBody(s.checkPlan))))
	mux.HandleFunc("POST /api/runs", slow(handler(withBody(s.startRun))))
	mux.HandleFunc("GET /api/runs/{id}/whole", s.getWhole)
	mux.HandleFunc("GET /api/events", s.stream)
	mux.HandleFunc("POST /api/session", s.openSession)
	for name, kind := range files {
		mux.HandleFunc("GET /"+strings.Replace(name, "index.html", "{$}", 1), func(w http.ResponseWriter, _ *http.Request) {
			src, err := fs.ReadFile(web.Files(), name)
			if err != nil {
				fail(w, err)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(src) // the browser may have gone
		})
	}
	return &guard{next: mux, on: on.String(), cookie: s.cookie}
}

// files are the files of the page, each served by its name, and their types. The types are
// not those of the machine: it may have others, and browsers run no script that is sent as
// text.
var files = map[string]string{
	"index.html":   "text/html; charset=utf-8",
	"app.js":       "text/javascript; charset=utf-8",
	"editor.js":    "text/javascript; charset=utf-8",
	"app.css":      "text/css; charset=utf-8",
	"icon.svg":     "image/svg+xml",
	"LICENSES.txt": "text/plain; charset=utf-8",
}
