package config

import (
	"path/filepath"
	"testing"
)

// A loopback host and port count as named by the file when no variable of the
// environment had a part in them.
func TestN08LoopbackThatTheFileNames(t *testing.T) {
	env := environment("HOST", "127.0.0.1", "NUMBER", "3000", "URL", "http://127.0.0.1:3000/mcp", "SCHEME", "http", "EMPTY", "",
		"PASS", "22/", "PATHNAME", "a/b", "AT", "x@evil.test", "ZERO", "0", "USER_AND", "u@localhost:1/")
	for url, want := range map[string]bool{
		"http://127.0.0.1:3000/mcp":                     true,
		"https://127.255.255.254/mcp":                   true,
		"http://localhost:3000/mcp":                     true,
		"http://LocalHost/mcp":                          true,
		"http://[::1]:3000/mcp":                         true,
		"http://127.0.0.1:3000/${PATHNAME}?k=${NUMBER}": true,
		"http://user:${NUMBER}@127.0.0.1:3000/mcp":      true,
		"${UNSET:-http://127.0.0.1:3000/mcp}":           true, // the file has the default
		"${EMPTY:-http://127.0.0.1:3000/mcp}":           true,
		"http://127.0.0.1:${UNSET:-3000}/mcp":           true,
		"http://127.0.0.1:3000$${x}":                    false, // no URL at all

		"${URL}":                                 false,
		"${URL:-http://127.0.0.1:3000/mcp}":      false,
		"http://${HOST}:3000/mcp":                false,
		"http://127.0.0.1:${NUMBER}/mcp":         false,
		"http://127.0.0.1:300${ZERO}/mcp":        false,
		"http://127.0.0.${ZERO}:3000/mcp":        false,
		"http://localhost${EMPTY}:3000/mcp":      false,
		"http://${EMPTY}localhost:3000/mcp":      false,
		"${SCHEME}://127.0.0.1/mcp":              false, // it decides the port
		"http://localhost:${PASS}@127.0.0.1:80/": false, // is localhost:22
		"http://localhost:3000${EMPTY}/mcp":      false,
		"http://${USER_AND}":                     false,
		"http://${AT}:3000/mcp":                  false,
		"http://127.0.0.1@evil.test/mcp":         false,
		"http://evil.test/127.0.0.1":             false,
		"http://[::ffff:127.0.0.1]:3000/mcp":     false,
		"http://[::1%25lo]:3000/mcp":             false,
		"http://0.0.0.0:3000/mcp":                false,
		"http://127.1:3000/mcp":                  false,
		"http://2130706433:3000/mcp":             false,
		"http://0x7f.0.0.1:3000/mcp":             false,
		"http://localhost.:3000/mcp":             false,
		"http://a.localhost:3000/mcp":            false,
		"http://localhost.evil.test:3000/mcp":    false,
		"http://10.0.0.1:3000/mcp":               false,
		"http://169.254.169.254/mcp":             false,
	} {
		path := filepath.Join(t.TempDir(), "g.yaml")
		f, err := Parse(path, []byte(head+"mcpServers:\n  there: {type: streamableHttp, url: '"+url+"'}\n"), Options{LookupEnv: env})
		if f == nil || len(f.Servers) != 1 {
			if want {
				t.Errorf("%s: %v", url, err)
			}
			continue
		}
		if got := f.Servers[0].NamesLoopback; got != want {
			t.Errorf("%s, which is %s: named by the file is %t, want %t", url, f.Servers[0].URL.Value, got, want)
		}
	}
}
