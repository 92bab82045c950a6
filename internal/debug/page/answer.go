package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// failure is an error as the page shows it.
type failure struct {
	status  int
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`
	Fields  []field `json:"fields,omitempty"` // arguments that do not fit
}

// field is what is wrong at a place of the arguments.
type field struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

func (f *failure) Error() string { return f.Message }

func errorf(status int, format string, args ...any) *failure {
	return &failure{status: status, Message: fmt.Sprintf(format, args...)}
}

// answering is a function as a handler: what it gives is written as JSON.
func answering(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := f(r)
		if err != nil {
			fail(w, err)
			return
		}
		write(w, http.StatusOK, value)
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

func write(w http.ResponseWriter, status int, value any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString(`{"error":{"message":"the answer could not be written"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser may have gone
}

// read reads a body that is one JSON object.
func read(r *http.Request, into any) error {
	src, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(src, into); err != nil {
		return errorf(http.StatusBadRequest, "the request is not what was expected: %s", err)
	}
	return nil
}

// number is a number of the query between 0 and most; fallback when it is not there.
func number(r *http.Request, name string, fallback, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errorf(http.StatusBadRequest, "%s is %q, expected a number from 0 on", name, text)
	}
	return min(n, most), nil
}
