package page

import (
	"bytes"
	"encoding/json"
	"net/http"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// value is what a request asks for by of and at.
func (s *Server) value(r *http.Request) (value.Value, error) {
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	at, err := number(r, "at", 0, len(now.records))
	if err != nil {
		return nil, err
	}
	switch of := r.URL.Query().Get("of"); of {
	case "args":
		return now.args, nil
	case "result":
		return now.result, nil
	case "context":
		return contextAt(now.before(at)), nil
	case "output":
		if at < len(now.records) {
			return now.records[at].Output, nil
		}
		return nil, errorf(http.StatusNotFound, "there is no step %d yet", at)
	case "input":
		return s.input(r, now, at)
	default:
		return nil, errorf(http.StatusBadRequest, "of is %q, expected args, result, context, output or input", of)
	}
}

// contextAt is the context after these records, nodes in the order in which they ran
// first.
func contextAt(records []execution.Record) value.Value {
	outputs := execution.Context(records)
	var keys []string
	var values []value.Value
	seen := map[string]bool{}
	for _, rec := range records {
		if v, ok := outputs[rec.NodeID]; ok && !seen[rec.NodeID] {
			seen[rec.NodeID] = true
			keys, values = append(keys, rec.NodeID), append(values, v)
		}
	}
	return value.NewObject(keys, values)
}

// input are the arguments of the call that step at makes.
func (s *Server) input(r *http.Request, f frame, at int) (value.Value, error) {
	node, _ := f.node(at).(*graph.MCP)
	if node == nil || node.Args == nil {
		return nil, errorf(http.StatusNotFound, "step %d makes no call with arguments", at)
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return node.Args.Eval(ctx, execution.ScopeOf(f.before(at)))
}

// node is the node of step at, also of the one about to run; nil when it is not known.
func (f *frame) node(at int) graph.Node {
	if f.graph == nil {
		return nil
	}
	if at < len(f.records) {
		return f.graph.Node(f.records[at].NodeID)
	}
	if f.Next != nil {
		return f.graph.Node(f.Next.Node)
	}
	return nil
}

func (s *Server) getValue(r *http.Request) (any, error) {
	v, err := s.value(r)
	if err != nil {
		return nil, err
	}
	path, err := pathOf(r.URL.Query().Get("path"))
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, maxBody)
	if err != nil {
		return nil, err
	}
	return levelOf(v, path, from)
}

// getWhole writes a value as its own JSON: numbers keep their digits, objects their order.
// Nothing has no content.
func (s *Server) getWhole(w http.ResponseWriter, r *http.Request) {
	v, err := s.value(r)
	if err != nil {
		fail(w, err)
		return
	}
	if v == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	raw, err := value.Encode(v)
	if err != nil {
		fail(w, err)
		return
	}
	if r.URL.Query().Get("indent") != "" {
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			fail(w, err)
			return
		}
		raw = out.Bytes()
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(raw) // the browser may have gone
}
