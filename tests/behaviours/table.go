package behaviours

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// notRun is in the cells of a place that was not run since a behaviour was added.
const notRun = "not run"

const tableHead = "| topic | behaviour | what must hold "

// compareTable compares the column of a place in the table at path with what the place has done; UPDATE_GOLDEN=1
// writes it. The columns of other places stay as they are.
func compareTable(t *testing.T, path string, d *drive) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := string(src)
	want := withColumn(got, d.place.Name(), func(b *Behaviour) string { return cmp.Or(d.why(b), "holds") })
	switch {
	case got == want:
	case os.Getenv("UPDATE_GOLDEN") == "1":
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date for %s; UPDATE_GOLDEN=1 writes it", path, d.place.Name())
	}
}

// withColumn returns a page with the table of All, whose column of a place is new.
func withColumn(page, place string, cell func(*Behaviour) string) string {
	before, after, _ := strings.Cut(page, "<!-- table -->\n")
	old, after, _ := strings.Cut(after, "<!-- end -->\n")
	places, cells := columns(old)
	if !slices.Contains(places, place) {
		places = append(places, place)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s<!-- table -->\n%s| %s |\n", before, tableHead, strings.Join(places, " | "))
	s.WriteString(strings.Repeat("|---", 3+len(places)) + "|\n")
	topic := ""
	for _, b := range All {
		shown := ""
		if b.Topic != topic {
			topic, shown = b.Topic, b.Topic
		}
		fmt.Fprintf(&s, "| %s | %s | %s ", shown, b.Says, b.Want.text())
		for _, p := range places {
			text := cells[p][b.Says]
			if p == place {
				text = cell(b)
			}
			fmt.Fprintf(&s, "| %s ", cmp.Or(text, notRun))
		}
		s.WriteString("|\n")
	}
	return s.String() + "<!-- end -->\n" + after
}

// columns reads a table: its places, and the cells of each by behaviour.
func columns(table string) (places []string, cells map[string]map[string]string) {
	cells = map[string]map[string]string{}
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		switch {
		case strings.HasPrefix(line, tableHead):
			places = fields[3:]
			for _, p := range places {
				cells[p] = map[string]string{}
			}
		case len(fields) == 3+len(places):
			for i, p := range places {
				cells[p][fields[1]] = fields[3+i]
			}
		}
	}
	return places, cells
}

// text says what must hold.
func (w *Want) text() string {
	var all []string
	switch {
	case w.Refused != "":
		all = append(all, "refused: "+w.Refused)
	case w.Fails != "":
		all = append(all, "fails: "+w.Fails)
	case w.Result != "" && len(w.Result) <= 60:
		all = append(all, "`"+strings.ReplaceAll(w.Result, "|", `\|`)+"`")
	case w.Status != "":
		all = append(all, w.Status)
	default:
		all = append(all, "finishes")
	}
	all = append(all, "calls: "+cmp.Or(w.Calls, "none"))
	if w.Keys != "" {
		all = append(all, "keys: "+w.Keys)
	}
	if w.Answers > 0 {
		all = append(all, fmt.Sprintf("answers: %d", w.Answers))
	}
	return strings.Join(all, "; ")
}
