package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is an endpoint in place of Claude Code's model: it calls the tools of a script, one a turn, and then ends.
type model struct {
	*httptest.Server
	script []call

	mu    sync.Mutex
	tools []string // that it may call
	given []shown  // the results of its calls
	heard string   // all requests
}

// modelRequest is what a request has for this endpoint.
type modelRequest struct {
	Model string `json:"model"`
	Tools []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tools"`
	Messages []struct {
		Content json.RawMessage `json:"content"` // a text, or blocks
	} `json:"messages"`
}

func newModel(t *testing.T, script []call) *model {
	t.Helper()
	m := &model{script: script}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// results are the results of tools in a conversation, in their order.
func (r modelRequest) results() (all []shown) {
	for _, message := range r.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"` // a text, or texts in blocks
			IsError bool            `json:"is_error"`
		}
		if json.Unmarshal(message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.Type != "tool_result" {
				continue
			}
			var text string
			if json.Unmarshal(b.Content, &text) != nil {
				var parts []struct{ Text string }
				_ = json.Unmarshal(b.Content, &parts)
				for _, part := range parts {
					text += part.Text
				}
			}
			all = append(all, shown{text, b.IsError})
		}
	}
	return all
}

// ServeHTTP answers a request as the model's endpoint does, in events. The number of results in the conversation is the turn.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in modelRequest
	if err != nil || r.URL.Path != "/v1/messages" || json.Unmarshal(body, &in) != nil {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard += string(body) + "\n"
	results := in.results()
	if len(results) >= len(m.given) && len(in.Tools) > 0 {
		m.given, m.tools = results, nil
		for _, tool := range in.Tools {
			m.tools = append(m.tools, tool.Name)
		}
		slices.Sort(m.tools)
	}
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	if turn := len(results); turn < len(m.script) && len(in.Tools) > 0 {
		args, _ := json.Marshal(m.script[turn].Args)
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, turn, m.script[turn].Tool)
		quoted, _ := json.Marshal(string(args))
		delta, stop = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quoted), "tool_use"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []string{
		fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`, len(results), in.Model),
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, event)
	}
}
