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

// hostModel is an endpoint in place of the model of a host that asks Gemini's, or one in OpenAI's form. It calls the tools of a script,
// one a turn, by the ends of their names, and then ends.
type hostModel struct {
	*httptest.Server
	script []call

	mu    sync.Mutex
	tools []string // that it may call
	given []shown  // the results of its calls
	heard string   // all requests
}

func newHostModel(t *testing.T, script []call) *hostModel {
	t.Helper()
	m := &hostModel{script: script}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// ServeHTTP answers a request for a stream. The number of results in the conversation is the turn.
func (m *hostModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var tools []string
	var results []shown
	gemini := strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
	switch {
	case gemini:
		tools, results = geminiRequest(body)
	case r.URL.Path == "/v1/chat/completions":
		tools, results = openRequest(body)
	default:
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard += string(body) + "\n"
	tool, args := "", map[string]any{}
	if len(tools) > 0 { // else it is to find a title, or the like
		m.tools, m.given = tools, results
		if turn := len(results); turn < len(m.script) {
			at := slices.IndexFunc(tools, func(name string) bool { return strings.HasSuffix(name, m.script[turn].Tool) })
			tool, args = tools[max(at, 0)], m.script[turn].Args
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	answer := openAnswer
	if gemini {
		answer = geminiAnswer
	}
	for _, event := range answer(fmt.Sprintf("call_%d", len(results)), tool, args) {
		_, _ = fmt.Fprintf(w, "data: %s\r\n\r\n", event)
	}
}

// geminiRequest returns the names of the tools and the results of calls in a request to Gemini's endpoint.
func geminiRequest(body []byte) (tools []string, results []shown) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					Response struct{ Output, Error string }
				}
			}
		}
	}
	_ = json.Unmarshal(body, &in)
	for _, set := range in.Tools {
		for _, tool := range set.FunctionDeclarations {
			tools = append(tools, tool.Name)
		}
	}
	for _, content := range in.Contents {
		for _, part := range content.Parts {
			if r := part.FunctionResponse; r != nil {
				results = append(results, shown{r.Response.Output + failureOf(r.Response.Error), r.Response.Error != ""})
			}
		}
	}
	return tools, results
}

// failureOf is the text of a failed call, which Gemini CLI shows to the model with the request and the whole result, as JSON.
func failureOf(said string) string {
	var results []struct {
		FunctionResponse struct {
			Response struct {
				Content []struct{ Text string }
			}
		}
	}
	_, whole, _ := strings.Cut(said, " with response: ")
	if json.Unmarshal([]byte(whole), &results) != nil || len(results) != 1 || len(results[0].FunctionResponse.Response.Content) != 1 {
		return said
	}
	return results[0].FunctionResponse.Response.Content[0].Text
}

// geminiAnswer is an answer of Gemini's endpoint: a call, or a text without a tool.
func geminiAnswer(_, tool string, args map[string]any) []string {
	part := map[string]any{"text": "done"}
	if tool != "" {
		part = map[string]any{"functionCall": map[string]any{"name": tool, "args": args}}
	}
	answer, _ := json.Marshal(map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
	return []string{string(answer)}
}

// openRequest returns the names of the tools and the results of calls in a request in OpenAI's form, in which only the text says that a
// call has failed.
func openRequest(body []byte) (tools []string, results []shown) {
	var in struct {
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	_ = json.Unmarshal(body, &in)
	for _, tool := range in.Tools {
		tools = append(tools, tool.Function.Name)
	}
	for _, message := range in.Messages {
		if message.Role == "tool" {
			var text string
			_ = json.Unmarshal(message.Content, &text)
			results = append(results, shown{text, strings.HasPrefix(text, "the plan was not run")})
		}
	}
	return tools, results
}

// openAnswer is an answer in OpenAI's form: a call, or a text without a tool.
func openAnswer(id, tool string, args map[string]any) []string {
	delta, end := map[string]any{"role": "assistant", "content": "done"}, "stop"
	if tool != "" {
		text, _ := json.Marshal(args)
		function := map[string]any{"name": tool, "arguments": string(text)}
		delta = map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": id, "type": "function", "function": function}}}
		end = "tool_calls"
	}
	chunk := func(delta map[string]any, end any) string {
		choice := map[string]any{"index": 0, "delta": delta, "finish_reason": end}
		text, _ := json.Marshal(map[string]any{"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{choice}})
		return string(text)
	}
	return []string{chunk(delta, nil), chunk(map[string]any{}, end), "[DONE]"}
}
