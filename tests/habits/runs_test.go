package habits

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/habit"
)

// place is where the recorded runs are, without .jsonl.gz, and whose runs of them are taken: those of two clients. HABITS=all
// takes all 10,000, HABITS=PATH those of another place.
func place() (path string, clients []string) {
	path = filepath.Join("testdata", "runs")
	switch given := os.Getenv("HABITS"); given {
	case "":
		return path, []string{"c03", "c26"}
	case "all":
		return path, nil
	default:
		return given, nil
	}
}

// hidden is a habit that the runs have.
type hidden struct {
	Name        string
	Chain       []string
	Occurrences [][]int // lines
}

// Of 40 habits in 10,000 runs at least 36 are found, and at most 4 others. A habit is found when
// suggestions have two thirds of its tools in order, little else, and half of its occurrences.
func TestHabitsOfRuns(t *testing.T) {
	var truth struct{ Habits []hidden }
	path, clients := place()
	raw, err := os.ReadFile(path + ".truth.json")
	if err == nil {
		err = json.Unmarshal(raw, &truth)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := record(t, path+".jsonl.gz", clients)
	habits := r.recorded(truth.Habits)
	projects := &habit.Projects{}
	runs := &habit.Runs{Store: r.store, Graph: projects.Graph}
	found, err := runs.Find(t.Context(), journal.Filter{Limit: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	runs.Store = unordered{r.store}
	if again, err := runs.Find(t.Context(), journal.Filter{Limit: -1}, 0); err != nil || !reflect.DeepEqual(again, found) {
		t.Errorf("in another order there are %d habits, not %d, or others: %v", len(again), len(found), err)
	}
	missed, matched := 0, map[int]bool{}
	for _, h := range habits {
		covered := map[int]bool{}
		for i := range found {
			over := r.covered(h, found[i])
			if len(over) > 0 {
				matched[i] = true
			}
			if common := inOrder(h.Chain, found[i].Chain); common*3 >= 2*len(h.Chain) && (len(found[i].Chain)-common)*3 <= len(found[i].Chain) {
				for _, at := range over {
					covered[at] = true
				}
			}
		}
		if 2*len(covered) < len(h.Occurrences) {
			missed++
			t.Logf("missed: %s, %v: %d of %d", h.Name, h.Chain, len(covered), len(h.Occurrences))
		}
	}
	wrong := 0
	for i, h := range found {
		if !matched[i] {
			wrong++
			t.Logf("none: %v, %d times", h.Chain, len(h.Occurrences))
		}
	}
	t.Logf("%d of %d habits found, %d others", len(habits)-missed, len(habits), wrong)
	if most := len(habits) / 10; missed > most || wrong > most {
		t.Errorf("missed %d habits, and found %d that are none, expected at most %d of each", missed, wrong, most)
	}
	r.drafts(found, runs)
}

// unordered is a store that lists runs nearly in their order, as a store does whose runs were recorded at once.
type unordered struct{ *journal.Store }

func (u unordered) List(ctx context.Context, of journal.Filter) ([]journal.Run, error) {
	runs, err := u.Store.List(ctx, of)
	for at := range slices.Chunk(runs, 20) {
		slices.Reverse(at)
	}
	return runs, err
}

// recorded returns the habits with the occurrences that are recorded: those of some clients may be left out.
func (r *recorder) recorded(all []hidden) (habits []hidden) {
	lines := map[int]bool{}
	for _, line := range r.lines {
		lines[line] = true
	}
	for _, h := range all {
		h.Occurrences = slices.DeleteFunc(h.Occurrences, func(o []int) bool { return !lines[o[0]] })
		if len(h.Occurrences) > 0 {
			habits = append(habits, h)
		}
	}
	return habits
}

// drafts makes a draft of each habit: nearly all make the recorded calls again.
func (r *recorder) drafts(found []habit.Habit, runs *habit.Runs) {
	suggestions, err := habit.Suggest(r.t.Context(), found, runs)
	if err != nil {
		r.t.Fatal(err)
	}
	whole := 0
	for _, s := range suggestions {
		switch {
		case s.Draft == nil:
			r.t.Logf("no draft: %v: %s", s.Chain, s.Why)
		case s.Draft.Reproduced() == len(s.Draft.Jobs):
			whole++
		default:
			r.t.Logf("reproduces %d of %d: %v: %v", s.Draft.Reproduced(), len(s.Draft.Jobs), s.Chain, s.Draft.Parts)
		}
	}
	r.t.Logf("%d of %d drafts make the calls of all occurrences", whole, len(suggestions))
	if whole*10 < 9*len(suggestions) {
		r.t.Errorf("%d of %d drafts make the recorded calls again, expected nine of ten", whole, len(suggestions))
	}
}

// covered returns the occurrences of a hidden habit that a found one has a run of.
func (r *recorder) covered(h hidden, found habit.Habit) (all []int) {
	lines := map[int]bool{}
	for _, refs := range found.Occurrences {
		for _, ref := range refs {
			lines[r.lines[ref.Run]] = true
		}
	}
	for i, occurrence := range h.Occurrences {
		if slices.ContainsFunc(occurrence, func(line int) bool { return lines[line] }) {
			all = append(all, i)
		}
	}
	return all
}

// inOrder returns how many tools two chains have in common, in order.
func inOrder(a, b []string) int {
	best := make([]int, len(b)+1)
	for _, one := range a {
		before := 0
		for j, other := range b {
			above := best[j+1]
			if strings.TrimSuffix(one, "*") == strings.TrimSuffix(other, "*") {
				best[j+1] = before + 1
			} else {
				best[j+1] = max(best[j+1], best[j])
			}
			before = above
		}
	}
	return best[len(b)]
}
