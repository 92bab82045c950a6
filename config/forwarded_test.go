package config

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestSecretsOfProxies(t *testing.T) {
	for _, c := range []struct{ value, hidden, shown string }{
		{"http://alice:pa55-word@proxy.example.com:3128", "pa55-word|alice:pa55-word", "alice|proxy.example.com|3128"},
		{"http://alice:p%40ss%2Fword@proxy:3128/", "p%40ss%2Fword|p@ss/word|alice:p@ss/word", "alice|proxy"},
		{"http://alice:pw1@proxy:3128", "alice:pw1", "pw1|proxy"},
		{"https://npm-access-token@registry.example.com/npm/", "npm-access-token", "registry.example.com"},
		{"alice:pa55^word@proxy:3128", "pa55^word|alice:pa55^word", "proxy:3128"},
		{"http://alice:pa/ss@word@proxy:3128", "pa/ss@word", "proxy:3128"},
		{"https://registry.example.com/@scope/npm", "", "registry.example.com|@scope|https://registry.example.com/@scope/npm"},
		{"localhost,.example.com,10.0.0.0/8", "", "localhost|.example.com|10.0.0.0/8"},
		{"", "", "nothing"},
	} {
		for _, name := range []string{"HTTPS_PROXY", "http_proxy", "npm_config_registry"} {
			s := mustParse(t, head+"mcpServers: {s: {command: x}}\n", name, c.value).Secrets
			for hidden := range strings.SplitSeq(c.hidden, "|") {
				for _, form := range []string{hidden, percentLower(hidden, ""), base64.StdEncoding.EncodeToString([]byte(hidden))} {
					if got := s.Redact("a " + form + " b"); hidden != "" && len(form) >= leastLetter && got != "a [redacted] b" {
						t.Errorf("%s=%s: %q gives %q", name, c.value, form, got)
					}
				}
			}
			for shown := range strings.SplitSeq(c.shown, "|") {
				if got := s.Redact(shown); got != shown {
					t.Errorf("%s=%s: %q gives %q", name, c.value, shown, got)
				}
			}
		}
		if n := mustParse(t, head+"mcpServers: {s: {command: x}}\n", "OTHER_PROXY", c.value).Secrets.Len(); n != 0 {
			t.Errorf("a variable that is not forwarded has %d secrets", n)
		}
	}
}
