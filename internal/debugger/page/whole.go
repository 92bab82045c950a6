package page

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"time"

	"toolgraph/expressions/value"
)

const writePiece = 64 << 10 // bytes that are sent at once

// getWhole writes a value as its own JSON: with all digits of numbers and the order of keys; with
// raw, a string as its text. It goes out piece by piece, however long it is. Nothing has no content.
func (s *Server) getWhole(w http.ResponseWriter, r *http.Request) {
	var v value.Value
	var name string
	_, err := s.ofRun(func(r *http.Request, now runState) (_ any, err error) {
		v, _, err = s.part(r, now)
		name = fileName(r, now)
		return nil, err
	})(r)
	if err != nil {
		fail(w, err)
		return
	}
	if v == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	q := r.URL.Query()
	kind, ending := "application/json; charset=utf-8", ".json"
	text, isText := v.(string)
	raw := isText && q.Get("raw") != ""
	if raw {
		kind, ending = "text/plain; charset=utf-8", ".txt"
	}
	w.Header().Set("Content-Type", kind)
	if q.Get("download") != "" {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+ending))
	}
	out := &wholeWriter{Writer: bufio.NewWriterSize(&patient{w, http.NewResponseController(w)}, writePiece), indent: q.Get("indent") != ""}
	if raw {
		_, _ = out.WriteString(text) // the browser may have gone
	} else {
		out.value(v, 0)
	}
	_ = out.Flush()
}

// patient gives each piece the time of one answer.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	return p.ResponseWriter.Write(b)
}

// wholeWriter writes JSON. After an error of the browser's it writes no more.
type wholeWriter struct {
	*bufio.Writer
	indent  bool
	scratch []byte
}

func (w *wholeWriter) value(v value.Value, depth int) {
	if items, ok := v.([]any); ok {
		w.list("[]", len(items), depth, func(i int) { w.value(items[i], depth+1) })
		return
	}
	object, ok := objectOf(v)
	if !ok {
		out, err := value.Append(w.scratch[:0], v)
		if err != nil {
			out = append(out, "null"...) // a number that JSON does not have
		}
		w.scratch = out
		_, _ = w.Write(out)
		return
	}
	keys := object.Keys()
	w.list("{}", len(keys), depth, func(i int) {
		_, _ = w.Write(value.AppendString(nil, keys[i]))
		_ = w.WriteByte(':')
		if w.indent {
			_ = w.WriteByte(' ')
		}
		item, _ := object.Get(keys[i])
		w.value(item, depth+1)
	})
}

func (w *wholeWriter) list(brackets string, n, depth int, each func(int)) {
	_ = w.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		w.newLine(depth + 1)
		if _, err := w.Write(nil); err != nil {
			return
		}
		each(i)
	}
	if n > 0 {
		w.newLine(depth)
	}
	_ = w.WriteByte(brackets[1])
}

func (w *wholeWriter) newLine(depth int) {
	if w.indent {
		_ = w.WriteByte('\n')
		for range depth {
			_, _ = w.WriteString("  ")
		}
	}
}

// fileName is made of the run, the address and the node of a value, and of what it is unless that is
// the output.
func fileName(r *http.Request, now runState) string {
	words := []string{now.ID}
	of := r.URL.Query().Get("of")
	if p, err := placeOf(r, now); err == nil && of != "args" && of != "result" {
		words = append(words, string(p.address()))
		if node := now.node(p); node != nil {
			words = append(words, node.ID())
		} else if rec, ok := now.record(p); ok {
			words = append(words, rec.NodeID)
		}
	}
	if of != "output" {
		words = append(words, of)
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.':
			return c
		}
		return '_'
	}, strings.Join(words, "-"))
}
