package habits

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/project"
)

// job is what a transcript has.
type job struct {
	File        string
	Times       int
	Occurrences []struct{ Calls []int }
	Chain       []string
	Secrets     []string
}

// A job of a transcript becomes a tool that makes its calls again: one that was done several times by suggest, one that was
// done once by import agent-trace of the whole session, which makes all its calls. TRANSCRIPTS names another directory.
func TestJobsOfTranscripts(t *testing.T) {
	sets := []string{filepath.Join("testdata", "transcripts", "first"), filepath.Join("testdata", "transcripts", "second")}
	if dir := os.Getenv("TRANSCRIPTS"); dir != "" {
		sets = []string{dir}
	}
	for _, dir := range sets {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var jobs map[string]job
			raw, err := os.ReadFile(filepath.Join(dir, "truth.json"))
			if err == nil {
				err = json.Unmarshal(raw, &jobs)
			}
			if err != nil {
				t.Fatal(err)
			}
			done := 0
			for name, j := range jobs {
				why := j.becomesATool(t, dir)
				if why == "" {
					done++
					continue
				}
				t.Logf("%s: %s", name, why)
			}
			t.Logf("%d of %d jobs become a tool", done, len(jobs))
			if done*10 < 8*len(jobs) {
				t.Errorf("%d of %d jobs become a tool, expected eight of ten", done, len(jobs))
			}
		})
	}
}

// becomesATool says why the job becomes no tool; empty when it does. Whatever is written has no secret.
func (j job) becomesATool(t *testing.T, dir string) (why string) {
	src, err := os.ReadFile(filepath.Join(dir, j.File))
	if err != nil {
		t.Fatal(err)
	}
	file, err := importer.AgentTrace(t.Context(), j.File, src, importer.TraceOptions{Test: true})
	if err != nil {
		return err.Error()
	}
	j.noSecrets(t, string(file.Graph)+string(file.Test)+string(file.Cassette)+strings.Join(file.Warnings, "\n"))
	if _, err := project.Parse(t.Context(), "graph.yaml", file.Graph, config.Options{AssumeEnv: true}); err != nil {
		return err.Error()
	}
	for _, warning := range file.Warnings {
		if !strings.HasPrefix(warning, "TODO") {
			return warning
		}
	}
	var find habit.Finder
	find.Least = 2
	var traces importer.Transcripts
	if err := traces.Read(j.File, src, &find); err != nil {
		return err.Error()
	}
	all, err := habit.Suggest(t.Context(), find.Find(), &traces)
	if err != nil {
		t.Fatal(err)
	}
	views, err := habit.Views(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := json.Marshal(views)
	j.noSecrets(t, string(shown))
	if j.Times == 1 {
		return j.isFolded(t, &traces)
	}
	for i := range all {
		if slices.Equal(all[i].Chain, j.Chain) {
			return j.differs(&all[i])
		}
	}
	return fmt.Sprintf("none of the %d suggestions is the chain %v", len(all), j.Chain)
}

// isFolded says why the calls of a job that was done once do not become its chain; empty when they do.
func (j job) isFolded(t *testing.T, traces *importer.Transcripts) string {
	var refs []habit.Ref
	for _, number := range j.Occurrences[0].Calls {
		refs = append(refs, habit.Ref{Run: j.File, At: number - 1})
	}
	jobs, _, err := traces.Jobs(t.Context(), [][]habit.Ref{refs})
	if err != nil {
		return err.Error()
	}
	made, err := habit.New(t.Context(), jobs)
	switch {
	case err != nil:
		return err.Error()
	case made.Reproduced() != 1:
		return made.Parts[0].Error()
	case !slices.Equal(made.Chain, j.Chain):
		return fmt.Sprintf("the chain is %v, expected %v", made.Chain, j.Chain)
	}
	return ""
}

// differs says how a suggestion differs from the job.
func (j job) differs(s *habit.Suggestion) string {
	if s.Draft == nil {
		return s.Why
	}
	if n := s.Draft.Reproduced(); n < len(j.Occurrences) {
		return fmt.Sprintf("reproduces %d of %d: %v", n, len(j.Occurrences), s.Draft.Parts)
	}
	for i, o := range j.Occurrences {
		var calls []int
		for _, ref := range s.Occurrences[i] {
			calls = append(calls, ref.At+1)
		}
		if !slices.Equal(calls, o.Calls) {
			return fmt.Sprintf("job %d has the calls %v, expected %v", i+1, calls, o.Calls)
		}
	}
	return ""
}

func (j job) noSecrets(t *testing.T, written string) {
	t.Helper()
	for _, secret := range j.Secrets {
		quoted, _ := json.Marshal(secret)
		if strings.Contains(written, secret) || strings.Contains(written, strings.Trim(string(quoted), `"`)) {
			t.Errorf("%s: the secret %.12q… is written", j.File, secret)
		}
	}
}
