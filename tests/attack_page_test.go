package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page about attacks has twelve, and each names tests that exist; so does each row about plans.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	definition := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	for _, file := range trackedFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		test, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range definition.FindAllStringSubmatch(string(test), -1) {
			defined[found[1]] = true
		}
	}
	page, plans, _ := strings.Cut(string(src), "\n# Plans\n")
	attacks := strings.Split(page, "\n## ")[1:]
	if len(attacks) != 12 {
		t.Errorf("the page has %d attacks, want 12", len(attacks))
	}
	named := regexp.MustCompile("`(Test\\w+)`")
	for _, attack := range attacks {
		title, body, _ := strings.Cut(attack, "\n")
		_, tests, _ := strings.Cut(body, "*Tests*:")
		if !strings.Contains(body, "*Tried*:") || !strings.Contains(body, "*Instead*:") || !named.MatchString(tests) {
			t.Errorf("%s: expected what is tried, what happens instead, and tests", title)
		}
		for _, name := range named.FindAllStringSubmatch(body, -1) {
			if !defined[name[1]] {
				t.Errorf("%s: there is no test %s", title, name[1])
			}
		}
	}
	rows := 0
	for line := range strings.Lines(plans) {
		if !strings.HasPrefix(line, "| to ") {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("without a test: %s", line)
		}
		for _, name := range tests {
			if !defined[name[1]] {
				t.Errorf("there is no test %s: %s", name[1], line)
			}
		}
	}
	if rows < 15 {
		t.Errorf("%d rows are about plans", rows)
	}
}
