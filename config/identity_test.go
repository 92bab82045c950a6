package config

import (
	"slices"
	"testing"
)

func TestServerIdentity(t *testing.T) {
	f, err := Parse("g.yaml", []byte(head+`mcpServers:
  plain: {command: npx, args: [-y, "a server", --port, 8080]}
  variables: {command: run, args: ["${DIR:-.}", "--api-key=${KEY:-sk-1234567}", --token, "${TOKEN}"], env: {KEY: "${KEY}"}}
  literals: {command: run, args: ["--api-key=sk-1234567", --password, hunter22, "--header", "Authorization: Bearer abcdefgh"]}
  database: {command: run, args: ["postgres://me:hunter22@db/x?sslmode=off&password=hunter22#f"]}
  address: {url: "https://${HOST:-example.com}/mcp?key=abcdefgh&tenant=${TENANT}"}
  mixed: {url: "https://me:${PASSWORD}@example.com/mcp", headers: {Authorization: "Bearer ${TOKEN}"}}
`), Options{LookupEnv: environment("KEY", "secret-key", "TOKEN", "secret-token", "TENANT", "seven7", "PASSWORD", "hunter22")})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"npx -y 'a server' --port 8080",
		"run ${DIR:-.} --api-key=${KEY} --token ${TOKEN}",
		"run --api-key=[redacted] --password [redacted] --header 'Authorization: [redacted]'",
		"run postgres://[redacted]@db/x?sslmode=off&password=[redacted]#f",
		"https://${HOST:-example.com}/mcp?key=[redacted]&tenant=${TENANT}",
		"https://[redacted]@example.com/mcp",
	} {
		if got := f.Servers[i].Identity; got != want {
			t.Errorf("%s is %q, want %q", f.Servers[i].Name.Value, got, want)
		}
	}
}

// The variables of a server are those that its whole entry reads, by name.
func TestServerVariables(t *testing.T) {
	f, err := Parse("g.yaml", []byte(head+`mcpServers:
  none: {command: run, args: ["$${NOT}"], env: {A: literal}}
  all: {command: run, args: ["${DIR:-.}", "${TOKEN}"], env: {A: "${TOKEN}", B: "x${KEY}y"}, cwd: "${DIR}"}
  address: {url: "https://${HOST:-example.com}/mcp", headers: {Authorization: "Bearer ${TOKEN}"}, oauth: {clientId: "${CLIENT}"}}
`), Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{nil, {"DIR", "KEY", "TOKEN"}, {"CLIENT", "HOST", "TOKEN"}} {
		if got := f.Servers[i].Variables; !slices.Equal(got, want) {
			t.Errorf("%s reads %q, want %q", f.Servers[i].Name.Value, got, want)
		}
	}
}
