package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// fencedBlock is a block of code in a page: what follows the fence, and the lines.
var fencedBlock = regexp.MustCompile("(?ms)^```(\\S+)[ ]?(.*?)\n(.*?)^```$")

// A block of yaml whose fence names a file is written to that file; the commands of a block
// of console are run one after the other, and print what follows them. "…" stands for
// any text. UPDATE_GOLDEN=1 writes what they print into the page.
func TestTutorial(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"tutorial.md", "habits.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runPage(t, filepath.Join("..", "docs", page))
		})
	}
}

// runPage writes the files of a page and runs its commands, whose output has to be that of the page.
func runPage(t *testing.T, page string) {
	if runtime.GOOS == "windows" {
		t.Skip("the page has commands of a Unix shell")
	}
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := filepath.Dir(testbin.Build(t, "toolgraph"))
	run := func(command string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TOOLGRAPH_STATE="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	commands := 0
	updated := fencedBlock.ReplaceAllStringFunc(string(src), func(block string) string {
		parts := fencedBlock.FindStringSubmatch(block)
		switch language, file, body := parts[1], parts[2], parts[3]; {
		case language != "console" && file != "":
			if err := os.WriteFile(filepath.Join(dir, file), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		case language == "console":
			var out strings.Builder
			for _, step := range strings.Split("\n"+body, "\n$ ")[1:] {
				command, expected, _ := strings.Cut(strings.TrimSuffix(step, "\n"), "\n")
				commands++
				got := strings.TrimSuffix(run(command), "\n")
				switch {
				case likePage(expected, got):
					got = expected
				case os.Getenv("UPDATE_GOLDEN") == "":
					t.Errorf("%s prints\n%s\nexpected\n%s", command, got, expected)
				default:
					got = strings.ReplaceAll(strings.ReplaceAll(got, dir, "…"), bin, "…")
				}
				fmt.Fprintf(&out, "$ %s\n%s", command, strings.TrimPrefix(got+"\n", "\n"))
			}
			return "```console\n" + out.String() + "```"
		}
		return block
	})
	if commands < 10 {
		t.Errorf("%s has %d commands", page, commands)
	}
	if updated != string(src) {
		if err := os.WriteFile(page, []byte(updated), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// differs is what is another on each machine and in each run: dates, durations, ids of
// runs, sizes, and the widths of columns.
var differs = regexp.MustCompile(`(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(\.\d+)?|\d+\.\d+|\b[A-Z2-7]{10,26}\b|\(\d+ bytes\)|\d{4}…|[ \t]+`)

// likePage reports whether a text is the one of the page, in which "…" stands for any text.
func likePage(page, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(differs.ReplaceAllString(page, "~")), "…", ".*?")
	return regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(differs.ReplaceAllString(got, "~"))
}
