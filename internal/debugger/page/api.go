package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"toolgraph/internal/serving/toolset"
)

// failure is an error as the page shows it.
type failure struct {
	status  int
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`
	Fields  []field `json:"fields,omitempty"` // arguments that do not match the schema

	Findings json.RawMessage `json:"findings,omitempty"` // about a plan that is not run
	Mocks    bool            `json:"mocks,omitempty"`    // it is about the mocks

	Mistake *mistakeJSON `json:"mistake,omitempty"` // in an expression that was sent
}

// field is an error at a place of the arguments.
type field struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

func (f *failure) Error() string { return f.Message }

func errorf(status int, format string, args ...any) *failure {
	return &failure{status: status, Message: fmt.Sprintf(format, args...)}
}

// endpoint answers one kind of request; what it returns is written as JSON.
type endpoint = func(*http.Request) (any, error)

func handler(f endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		if err != nil {
			fail(w, err)
			return
		}
		write(w, http.StatusOK, answer)
	}
}

// slow is a handler whose answer may take as long as servers need to start.
func slow(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		control, end := http.NewResponseController(w), time.Now().Add(patience)
		_ = errors.Join(control.SetReadDeadline(end), control.SetWriteDeadline(end)) // also the former ends the context of a request
		next(w, r)
	}
}

// withBody is an endpoint whose request has a body, one JSON object.
func withBody[T any](f func(*http.Request, T) (any, error)) endpoint {
	return func(r *http.Request) (any, error) {
		var in T
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return f(r, in)
	}
}

// ofRun is an endpoint about the run that the request names, as it is now.
func (s *Server) ofRun(f func(*http.Request, runState) (any, error)) endpoint {
	return func(r *http.Request) (any, error) {
		run, err := s.run(r.Context(), r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return f(r, run.now())
	}
}

func fail(w http.ResponseWriter, err error) {
	var f *failure
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &f):
	case errors.As(err, &long):
		f = errorf(http.StatusRequestEntityTooLarge, "the request is longer than %d MiB", maxBody>>20)
	default:
		f = errorf(http.StatusInternalServerError, "%s", err)
	}
	write(w, f.status, map[string]*failure{"error": f})
}

func write(w http.ResponseWriter, status int, answer any) {
	raw, err := toolset.JSON(answer)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the browser may have gone
}

// read reads a body that is one JSON object.
func read(r *http.Request, into any) error {
	src, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(src, into); err != nil {
		return errorf(http.StatusBadRequest, "the request body is invalid: %s", err)
	}
	return nil
}

// number returns a number of the query between 0 and most, or fallback when it is missing.
func number(r *http.Request, name string, fallback, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errorf(http.StatusBadRequest, "%s is %q, expected a number of at least 0", name, text)
	}
	return min(n, most), nil
}
