package tests

import (
	"fmt"
	"strings"
	"testing"
)

// A secret that a server sends as escaped in JSON, within a text, as an error of a
// library that shows a request's body does. Each way of escaping is one that a JSON
// library has.
func TestS05EscapedSecretInAText(t *testing.T) {
	t.Parallel()
	s := start(t, each(keeping, "text", "fail"), "E2E_TOKEN="+hidden)
	plain := quoted(hidden)
	ascii := strings.ReplaceAll(plain, "ö", `\u00f6`)
	slashes := strings.ReplaceAll(plain, "/", `\/`)
	for name, form := range map[string]string{"JSON": plain, "JSON in ASCII": ascii, "JSON with escaped slashes": slashes} {
		for _, tool := range []string{"text", "fail"} {
			said := "the request was {token: " + form + "}"
			r := s.call(tool, fmt.Sprintf(`{"text":%[1]s,"message":%[1]s}`, quoted(said)))
			if text := r.text(t); strings.Contains(text, "hunter2") {
				t.Errorf("%s, said by %s, is shown: %s", name, tool, text)
			}
		}
	}
}
