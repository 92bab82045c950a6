package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/internal/debug"
)

// held is the run of a request that takes commands.
func (s *Server) held(r *http.Request) (*film, error) {
	f, err := s.film(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if f.session == nil || f.over() {
		return nil, errorf(http.StatusConflict, "this run takes no commands: it is over, or another process runs it")
	}
	return f, nil
}

func (s *Server) control(r *http.Request) (any, error) {
	var in struct{ Action, Node string }
	if err := read(r, &in); err != nil {
		return nil, err
	}
	f, err := s.held(r)
	if err != nil {
		return nil, err
	}
	switch in.Action {
	case "pause":
		err = f.session.Pause()
	case "resume":
		err = f.session.Resume()
	case "step":
		err = f.session.Step()
	case "run-to":
		err = f.session.RunTo(in.Node)
	case "stop":
		f.session.Stop()
	default:
		return nil, errorf(http.StatusBadRequest, "action is %q, expected pause, resume, step, run-to or stop", in.Action)
	}
	if err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return f.now().info, nil
}

func (s *Server) setBreakpoints(r *http.Request) (any, error) {
	var in struct {
		Breakpoints []debug.Breakpoint `json:"breakpoints"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	f, err := s.held(r)
	if err != nil {
		return nil, err
	}
	if err := f.session.SetBreakpoints(r.Context(), in.Breakpoints); err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "%s", err)
	}
	return map[string]any{"breakpoints": f.session.Breakpoints()}, nil
}

// editTime is how long a run may take to notice that it is to be edited.
const editTime = 10 * time.Second

func (s *Server) edit(r *http.Request) (any, error) {
	var in struct {
		Node    string          `json:"node"`
		Value   json.RawMessage `json:"value"`
		Nothing bool            `json:"nothing"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if in.Nothing == (in.Value != nil) {
		return nil, errorf(http.StatusBadRequest, "an edit has one of value and nothing: true")
	}
	f, err := s.held(r)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(in.Value), "[redacted]") {
		return nil, &failure{
			status: http.StatusUnprocessableEntity, Message: "the value holds [redacted], which would take the place of the secret itself",
			Hint: "write another text in its place",
		}
	}
	var v value.Value
	if !in.Nothing {
		if v, err = value.Decode(in.Value); err != nil {
			return nil, errorf(http.StatusUnprocessableEntity, "the value is not JSON: %s", err)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), editTime)
	defer cancel()
	if err := f.session.Edit(ctx, in.Node, v); err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return f.now().info, nil
}
