package results

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// Store has the results that were too large for their clients. Safe for concurrent use.
type Store struct {
	history *journal.Store // nil: runs are not recorded
	memory  *memory
	readers chan struct{} // has one element for each result that is being read
}

const (
	// mostMemory is how many bytes of results stay in memory.
	mostMemory = 64 << 20
	// mostReaders bounds how many results are decoded at the same time.
	mostReaders = 4
)

// New returns an empty Store. A result is stored with its run in the history where the run is recorded
// with it, and else in memory; a nil history has no runs.
func New(history *journal.Store) *Store {
	return &Store{history: history, memory: newMemory(mostMemory), readers: make(chan struct{}, mostReaders)}
}

// File is a graph file whose results are stored, as it is at one time.
type File struct {
	Path    string          // as the history has it
	Secrets *config.Secrets // nil: none
	// Limits are the maxResultBytes of the tools that clients see, by name. Results of other tools
	// cannot be read.
	Limits map[string]int
	// Exposed returns that of a tool of a server that clients see; 0 for another tool. nil: there are none.
	Exposed func(tool string) int
	// Seen reports whether clients see a tool: they read the results of its runs as resources. nil: of none.
	Seen func(tool string) bool
}

// limitOf returns the maxResultBytes of a tool; 0 for one whose results cannot be read.
func (f *File) limitOf(tool string) int {
	if limit := f.Limits[tool]; limit > 0 || f.Exposed == nil {
		return limit
	}
	return f.Exposed(tool)
}

// gives reports whether results of a tool can be read.
func (f *File) gives(tool string, wanted which) bool {
	return f.limitOf(tool) > 0 || wanted == anyResult && f.Seen != nil && f.Seen(tool)
}

// Result is the result of a run that is too large.
type Result struct {
	Run, Tool string
	Value     value.Value
	Bytes     int  // of the value as compact JSON
	Typed     bool // the tool has an outputSchema, which a summary does not fit
}

// Put stores a result and returns what the client gets in its place: a summary, and a link to the
// result. The error is that the result has no JSON form.
func (k *Store) Put(ctx context.Context, of File, r Result) (*server.Notice, error) {
	raw, err := value.EncodeWithin(value.Until(ctx), r.Value)
	if err != nil {
		return nil, fmt.Errorf("the value of tool %s cannot be written as JSON: %w", wording.Quote(r.Tool), err)
	}
	safe, err := of.Secrets.RedactJSONWithin(ctx, raw)
	if err != nil {
		return nil, err
	}
	shown := r.Value
	if changed := len(safe) != len(raw) || &safe[0] != &raw[0]; changed {
		if shown, err = value.Decode(safe); err != nil {
			return nil, err
		}
	}
	s := summary{Result: r, limit: of.limitOf(r.Tool)}
	if k.recorded(ctx, r.Run) || k.memory.put(&held{run: r.Run, subject: digestOf(ctx), file: of.Path, tool: r.Tool, json: safe, secrets: of.Secrets}) {
		s.uri = uriOf(r.Run)
	}
	return s.notice(shown, len(safe)), nil
}

// BytesOut returns how many bytes of the summary of a result, with secrets as they are, a model reads when the result can be
// stored.
func (k *Store) BytesOut(of File, r Result) int {
	s := summary{Result: r, limit: of.limitOf(r.Tool), uri: uriOf(r.Run)}
	return server.Form{}.BytesOut(of.Secrets, &server.Answer{Notice: s.notice(r.Value, r.Bytes)}, nil, 0)
}

// recorded reports whether the history has the whole result of a run.
func (k *Store) recorded(ctx context.Context, run string) bool {
	if k.history == nil {
		return false
	}
	result, err := k.history.Result(ctx, run)
	return err == nil && whole(result)
}

// whole reports whether a value was recorded, apart from its secrets.
func whole(r journal.Recorded) bool { return r.Gap == nil || r.Gap.Reason == journal.Redacted }

const (
	uriScheme = "run://"
	uriEnd    = "/result"
)

// Template is the URI template of the results of runs.
const Template = uriScheme + "{run}" + uriEnd

func uriOf(run string) string { return uriScheme + run + uriEnd }

// runOf returns the run of a URI that uriOf has made; "" for any other.
func runOf(uri string) string {
	rest, isRun := strings.CutPrefix(uri, uriScheme)
	run, isResult := strings.CutSuffix(rest, uriEnd)
	if !isRun || !isResult {
		return ""
	}
	return run
}

// ErrUnknown is in the chain of the error of a URI of which no result is known.
var ErrUnknown = errors.New("unknown result")

// IsURI reports whether a URI is one that a summary may have.
func IsURI(uri string) bool { return runOf(uri) != "" }

// resourceMost is the largest result that is read whole, in bytes.
const resourceMost = 8 << 20

// Resource returns a whole result as JSON without secrets: one that was too large, or that of any recorded run.
func (k *Store) Resource(ctx context.Context, of File, uri string) ([]byte, error) {
	raw, limit, err := k.find(ctx, of, uri, anyResult)
	if err == nil && len(raw) > resourceMost && limit == 0 {
		err = fmt.Errorf("the result has %d bytes, expected at most %d; let the tool return less, or set executionLimits.maxResultBytes, so that parts of its results can be read", len(raw), resourceMost)
	} else if err == nil && len(raw) > resourceMost {
		err = fmt.Errorf("the result has %d bytes, expected at most %d; read parts of it with the tool %s", len(raw), resourceMost, ToolName)
	}
	if err != nil {
		return nil, err
	}
	return raw, nil
}

// which says which results are wanted.
type which bool

const (
	largeResult which = false // those of which a client has a summary
	anyResult   which = true  // those of all runs that have finished
)

// SubjectDigest identifies the subject of an access token in the record of a run; "" for none.
func SubjectDigest(subject string) string {
	if subject == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("subject " + subject))
	return hex.EncodeToString(sum[:16])
}

// digestOf returns the subject of the client of a request, as a digest.
func digestOf(ctx context.Context) string { return SubjectDigest(server.SubjectOf(ctx)) }

// find returns a result as JSON without secrets, and how many bytes of it an answer may have.
// For the client all unknown results are alike: the error says nothing about runs of other files, or of other subjects.
func (k *Store) find(ctx context.Context, of File, uri string, wanted which) (raw []byte, limit int, err error) {
	run := runOf(uri)
	if run == "" {
		return nil, 0, unknown(uri)
	}
	h := k.memory.get(run)
	if h == nil || h.recorded {
		if h, err = k.fromHistory(ctx, of, run, h, wanted); err != nil {
			return nil, 0, err
		}
	}
	if h == nil || h.file != of.Path || h.subject != digestOf(ctx) || !of.gives(h.tool, wanted) {
		return nil, 0, unknown(uri)
	}
	if h.secrets != of.Secrets { // the file has been loaded again
		safe := *h
		safe.json, safe.secrets = of.Secrets.RedactJSON(h.json), of.Secrets
		h = &safe
		k.memory.put(h)
	}
	return h.json, of.limitOf(h.tool), nil
}

// fromHistory returns the result of a recorded run; nil when the history has none that may be
// read. Its value is copied from memory when it has been read before.
func (k *Store) fromHistory(ctx context.Context, of File, run string, before *held, wanted which) (*held, error) {
	if k.history == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	recorded, err := k.history.Exact(ctx, run)
	switch {
	case errors.Is(err, journal.ErrNotFound), recorded.ID != "" && recorded.File != of.Path:
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, err
	case recorded.Status != journal.Finished, recorded.Spilled == 0 && wanted != anyResult, !of.gives(recorded.Tool, wanted):
		return nil, nil //nolint:nilnil // there is none
	case before != nil:
		return before, nil
	}
	start, err := k.history.Start(ctx, run)
	if errors.Is(err, journal.ErrNotFound) || err == nil && start.Subject != digestOf(ctx) {
		return nil, nil //nolint:nilnil // there is none
	} else if err != nil {
		return nil, err
	}
	result, err := k.history.Result(ctx, run)
	switch {
	case errors.Is(err, journal.ErrNotFound): // deleted meanwhile
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, err
	case !whole(result):
		return nil, fmt.Errorf("the result of run %s is not available any more: it was in memory only, because the run history could not record it (%s); call the tool again",
			run, gapText(result.Gap))
	}
	h := &held{run: run, subject: start.Subject, file: recorded.File, tool: recorded.Tool, recorded: true, json: of.Secrets.RedactJSON(result.JSON), secrets: of.Secrets}
	k.memory.put(h)
	return h, nil
}

// Mine reports whether the result of a recorded run can be read as a resource by the client of a request.
func (k *Store) Mine(ctx context.Context, of File, run *journal.Run) bool {
	if run.Damaged != "" || run.Status != journal.Finished || run.File != of.Path || !of.gives(run.Tool, anyResult) {
		return false
	}
	start, err := k.history.Start(ctx, run.ID)
	return err == nil && start.Subject == digestOf(ctx)
}

func gapText(g *journal.Gap) string {
	if g.Reason == journal.TooLarge {
		return fmt.Sprintf("it has %d bytes and --history-max-value is %d", g.Bytes, g.Limit)
	}
	return "the store was locked or full"
}

func unknown(uri string) error {
	return fmt.Errorf("%w %s: expected %sID%s as in a summary, or with the id of a recorded run of this client that has finished; "+
		"if it was one, its run was deleted or it was in memory only and has made room for others: call the tool again",
		ErrUnknown, wording.Quote(uri), uriScheme, uriEnd)
}
