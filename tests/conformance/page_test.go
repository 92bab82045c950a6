package conformance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is the page that has the results.
const page = "../../docs/conformance.md"

// checkRow compares the counts of a run with their row in the page, or writes them with UPDATE_GOLDEN=1.
func checkRow(t *testing.T, name string, passed, failed int) {
	t.Helper()
	row := fmt.Sprintf("| %s | %d | %d |", name, passed, failed)
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|.*$`)
	if !line.Match(was) {
		t.Fatalf("%s has no row for %s, expected %s", page, name, row)
	}
	update(t, was, line.ReplaceAll(was, []byte(row)))
}

// update compares the page with what it should be, or writes it with UPDATE_GOLDEN=1.
func update(t *testing.T, was, now []byte) {
	t.Helper()
	switch {
	case string(was) == string(now):
	case os.Getenv("UPDATE_GOLDEN") != "":
		if err := os.WriteFile(page, now, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date; UPDATE_GOLDEN=1 writes it", page)
	}
}

var expectedLine = regexp.MustCompile(`(?m)^  - (\S+) # (.*)$`)

// The page has each scenario that fails, with the reason of the lists.
func TestPageHasEveryReason(t *testing.T) {
	lists, err := filepath.Glob("testdata/expected-*.yaml")
	if err != nil || len(lists) == 0 {
		t.Fatal(lists, err)
	}
	scenarios := map[string][]string{} // by reason
	for _, list := range lists {
		src, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range expectedLine.FindAllStringSubmatch(string(src), -1) {
			if name := "`" + m[1] + "`"; !slices.Contains(scenarios[m[2]], name) {
				scenarios[m[2]] = append(scenarios[m[2]], name)
			}
		}
	}
	var table strings.Builder
	table.WriteString("| reason | scenarios |\n|---|---|\n")
	for _, reason := range slices.Sorted(maps.Keys(scenarios)) {
		slices.Sort(scenarios[reason])
		fmt.Fprintf(&table, "| %s | %s |\n", reason, strings.Join(scenarios[reason], ", "))
	}
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(?s)\| reason \| scenarios \|\n.*?\n\n|\| reason \| scenarios \|\n.*\z`)
	if !place.Match(was) {
		t.Fatalf("%s has no table of reasons", page)
	}
	end := "\n"
	if loc := place.FindIndex(was); loc[1] == len(was) {
		end = ""
	}
	now := string(was[:place.FindIndex(was)[0]]) + table.String() + end + string(was[place.FindIndex(was)[1]:])
	update(t, was, []byte(now))
}
