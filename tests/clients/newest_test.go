package clients

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// newest reports whether the newest versions are tried, and written to the page, instead of those of the constants.
var newest = os.Getenv("TOOLGRAPH_NEWEST") == "1"

var (
	versionsLock sync.Mutex
	versions     = map[string]string{} // of a package without a version, the newest one that npm has
)

// current returns the packages in the versions that are tried. Node keeps its own: it is what the hosts need.
func current(t *testing.T, packages []string) []string {
	t.Helper()
	if !newest {
		return packages
	}
	versionsLock.Lock()
	defer versionsLock.Unlock()
	all := make([]string, len(packages))
	for i, p := range packages {
		name := nameOf(p)
		if all[i] = p; name == "node" {
			continue
		}
		if versions[name] == "" {
			out, err := exec.CommandContext(t.Context(), "npm", "view", name, "version").Output()
			if err != nil {
				t.Fatalf("npm view %s: %v", name, err)
			}
			versions[name] = strings.TrimSpace(string(out))
		}
		all[i] = name + "@" + versions[name]
	}
	return all
}

// nameOf is a package without its version.
func nameOf(p string) string { return p[:strings.LastIndex(p, "@")] }

// row is a line of the table of hosts on the page.
type row struct{ host, program, seen string }

const (
	page  = "../../docs/clients.md"
	begin = "<!-- hosts: make clients writes this -->\n"
	end   = "<!-- end of hosts -->\n"
)

// writeRows writes the table of hosts to the page.
func writeRows(t *testing.T, rows []row) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	table := "| HOST | program | scope: what its own command prints of the entry |\n|---|---|---|\n"
	for _, r := range rows {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", r.host, r.program, r.seen)
	}
	between := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `.*?` + regexp.QuoteMeta(end))
	if !between.Match(text) {
		t.Fatalf("%s has no place for the table", page)
	}
	out := between.ReplaceAllLiteralString(string(text), begin+table+end)
	for name, version := range versions { // where the text names a version
		out = regexp.MustCompile(`(`+regexp.QuoteMeta("`"+name+"`")+` )\d[0-9A-Za-z.-]*[0-9A-Za-z]`).ReplaceAllString(out, "${1}"+version)
	}
	if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
