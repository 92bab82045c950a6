//go:build unix

package fleet

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/internal/base/files"
	"toolgraph/tests/testbin"
)

// before is the commit whose program the present one works beside: the last one before the schema got expansions.
const before = "d1b56f7c"

// earlier returns the program of the commit before, which is built once, into the user's cache. The test is skipped where the
// repository does not have the commit.
func earlier(t *testing.T) string {
	t.Helper()
	if os.Getenv("FLEET") == "" && os.Getenv("FLEET_VERSIONS") == "" {
		t.Skip("building another version takes long; run make fleet-versions")
	}
	if out, err := exec.Command("git", "cat-file", "-e", before+"^{commit}").CombinedOutput(); err != nil {
		t.Skipf("the repository does not have the commit %s, so its program cannot be built: %s", before, out)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "toolgraph-tests", "version-"+before)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	release, err := files.LockFile(t.Context(), filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	program := filepath.Join(dir, "toolgraph")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	source := filepath.Join(t.TempDir(), "source")
	for _, args := range [][]string{
		{"git", "clone", "--quiet", "--shared", "--no-checkout", "../..", source},
		{"git", "-C", source, "checkout", "--quiet", before},
		{"go", "-C", source, "build", "-o", program, "."},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	return program
}

// pair is processes of two versions on one history.
type pair struct {
	*fleet
	t        *testing.T
	programs map[string]string
	process  map[string]*process
	last     int // id of a call
}

// Programs of two versions share a history: the earlier one opens what the present one has expanded, calls with a key are one
// run in both, each takes over the runs of the other and takes the answer to its question, and the bounds that one sets hold in the
// other.
func TestVersions(t *testing.T) {
	old := earlier(t)
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pair{
				fleet: newFleet(t, place(t), 0), t: t,
				programs: map[string]string{"earlier": old, "present": testbin.Build(t, "toolgraph")}, process: map[string]*process{},
			}
			p.begin("earlier")
			first := p.order("earlier", "first") // before the store is expanded
			p.begin("present")
			if again := p.order("present", "first"); again != first {
				t.Errorf("a run of the earlier program in the present one: %s, expected %s", again, first)
			}
			p.process["earlier"].drain(t)
			p.begin("earlier") // opens the expanded store
			for _, way := range [][2]string{{"earlier", "present"}, {"present", "earlier"}} {
				p.keys(way[0], way[1])
				p.takeover(way[0], way[1])
				p.question(way[0], way[1])
				p.bounds(way[0], way[1])
			}
			p.nothingLeft()
		})
	}
}

func (p *pair) begin(version string) { p.process[version] = p.runProgram(p.programs[version], true) }

func (p *pair) post(version, message string) (string, error) {
	status, body, err := p.process[version].post(message, http.Header{})
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return body, err
}

func (p *pair) message(key string, steps int) string {
	return call("order", fmt.Sprintf(`{"id":%d,"steps":%d}`, p.last, steps), fmt.Sprintf(`"toolgraph/key":%q`, key), "")
}

// order makes a call with a key, of the last id.
func (p *pair) order(version, key string) string {
	body, err := p.post(version, p.message(key, 1))
	if err != nil {
		p.t.Errorf("%s: %v", version, err)
		return ""
	}
	return textOf(p.t, body)
}

func (p *pair) want() string { return fmt.Sprintf(`{"id":%d,"paid":1}`, p.last) }

// keys makes the same calls in both at the same time.
func (p *pair) keys(one, other string) {
	for i := range 10 {
		p.last++
		var calling sync.WaitGroup
		for _, version := range []string{one, other, one, other} {
			calling.Go(func() {
				if got := p.order(version, fmt.Sprintf("both-%s-%d", one, i)); got != p.want() {
					p.t.Errorf("both at once, %s: %s", version, got)
				}
			})
		}
		calling.Wait()
		if n := p.up.count(p.last); n != 1 {
			p.t.Errorf("paid %d times", n)
		}
	}
}

// takeover kills a process in the middle of a run, which one of the other version ends.
func (p *pair) takeover(dies, lives string) {
	p.last++
	open := p.up.gate(p.last)
	gone := make(chan struct{})
	victim := p.process[dies]
	go func() {
		defer close(gone)
		_, _, _ = victim.post(p.message("takeover-"+dies, 3), http.Header{}) // it is killed
	}()
	p.wait("the run has begun", func() bool { return p.up.looks(p.last) > 0 })
	victim.kill(p.t)
	<-gone
	open()
	if got := p.order2(lives, "takeover-"+dies, 3); got != p.want() || p.up.count(p.last) != 1 {
		p.t.Errorf("a run of %s in %s, paid %d times: %s", dies, lives, p.up.count(p.last), got)
	}
	p.begin(dies)
	if got := p.order2(dies, "takeover-"+dies, 3); got != p.want() {
		p.t.Errorf("a run that was resumed in %s, in %s: %s", lives, dies, got)
	}
}

// order2 is order with steps.
func (p *pair) order2(version, key string, steps int) string {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if body, err := p.post(version, p.message(key, steps)); err == nil {
			return textOf(p.t, body)
		}
	}
	return "no answer"
}

// question asks in one version and answers in the other, while the first lives and after it was killed.
func (p *pair) question(asks, answers string) {
	for _, kill := range []bool{false, true} {
		p.last++
		state := ask(p.t, p.process[asks], p.last)
		if kill {
			p.process[asks].kill(p.t)
		}
		if got := answer(p.t, p.process[answers], p.last, state); got != p.want() {
			p.t.Errorf("%s asks, %s answers, killed %v: %s", asks, answers, kill, got)
		}
		if kill {
			p.begin(asks)
		}
	}
}

// keep sets the bounds of the store by the command of a version.
func (p *pair) keep(version, days, bytes string) (string, error) {
	command := []string{"retention", "set"}
	if version == "earlier" {
		command = []string{"runs", "keep"}
	}
	return p.command(p.programs[version], append(command, "--keep", days, "--keep-bytes", bytes)...)
}

// bounds lets one version set bounds that delete most runs, while the other one has an open question and serves.
func (p *pair) bounds(sets, other string) {
	p.last++
	waiting := p.last
	state := ask(p.t, p.process[other], waiting)
	if out, err := p.keep(sets, "0", "1"); err != nil {
		p.t.Fatalf("%s: %v: %s", sets, err, out)
	}
	recorded := func() int {
		out, err := p.command(p.programs[other], "runs", "list", "--limit", "1000", "--json")
		if err != nil {
			p.t.Fatalf("%s: %v: %s", other, err, out)
		}
		return strings.Count(out, `"tool"`)
	}
	all := recorded()
	p.process[sets].drain(p.t)
	p.begin(sets)
	p.last++
	if got := p.order(sets, fmt.Sprintf("bounds-%s", sets)); got != p.want() { // who records a run looks for old ones
		p.t.Errorf("while %s deletes: %s", sets, got)
	}
	p.wait("the runs are deleted", func() bool { return recorded() < all })
	if out, err := p.keep(other, "30", "1GiB"); err != nil {
		p.t.Fatalf("%s: %v: %s", other, err, out)
	}
	p.last++
	now := p.last
	p.last = waiting
	if got := answer(p.t, p.process[other], waiting, state); got != p.want() {
		p.t.Errorf("a run that waited while %s deleted: %s", sets, got)
	}
	p.last = now
	for _, version := range []string{sets, other} {
		if out, err := p.command(p.programs[version], "runs", "list"); err != nil || !strings.Contains(out, "confirm") {
			p.t.Errorf("%s lists: %v: %s", version, err, out)
		}
	}
}
