package adopt_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
	"toolgraph/tests/thorough"
)

// again is an adoption after the first, to which other servers are adopted.
type again struct {
	host   string
	change func(h *home, path string) // of the host's file in between
	keep   []string
	has    []string // the registry then
	names  []string // in the host's file, undone
}

// byHand makes the host's file what it was before the first adoption, but for one text.
func byHand(from, to string) func(h *home, path string) {
	return func(h *home, path string) {
		if err := os.WriteFile(path, []byte(configured["cursor"]), 0o600); err != nil {
			h.t.Fatal(err)
		}
		h.change(path, from, to)
	}
}

var secondTimes = map[string]again{
	"kept":           {"cursor", nil, []string{"mail"}, []string{"files"}, []string{"files", "mail", "off"}},
	"kept, codex":    {"codex", nil, []string{"mail"}, []string{"files"}, []string{"files", "mail", "off"}},
	"kept, goose":    {"goose", nil, []string{"mail"}, []string{"files"}, []string{"files", "mail", "off"}},
	"kept, with new": {"cursor", func(h *home, path string) { h.change(path, edits["cursor"][1][0], edits["cursor"][1][1]) }, []string{"mail"}, []string{"files", "new"}, []string{"files", "mail", "new", "off"}},
	"renamed":        {"cursor", byHand(`"files":`, `"docs":`), nil, []string{"docs", "mail"}, []string{"docs", "mail", "off"}},
	"removed":        {"cursor", byHand(`"files": {"command": "/bin/files", "args": ["--root", "/srv"]},`, ""), nil, []string{"mail"}, []string{"mail", "off"}},
	"changed":        {"cursor", byHand("/srv", "/data"), nil, []string{"files", "mail"}, []string{"files", "mail", "off"}},
	"the one entry's name is taken": {
		"cursor", byHand(`"files":`, `"toolgraph":`), nil, []string{"mail", "toolgraph"}, []string{"mail", "off", "toolgraph"},
	},
}

// begin is a home in which the second adoption was killed before its nth change of the disk, and the host's file as it would be
// undone, for its entries.
func (c again) begin(t *testing.T, n int) (h *home, before string, done bool) {
	t.Helper()
	h = newHome(t, c.host)
	path := h.file(c.host)
	if err := write(t, c.host); err != nil {
		t.Fatal(err)
	}
	before = configured[c.host]
	if c.change != nil {
		c.change(h, path)
		if before = h.read(path); strings.Contains(before, "/bin/toolgraph") {
			before = strings.Replace(configured[c.host], edits[c.host][1][0], edits[c.host][1][1], 1)
		}
	}
	was := h.read(path)
	done = endsAt(t, n, strings.Join(append([]string{"adopt", c.host}, c.keep...), " "))
	if now := h.read(path); now != was && !strings.Contains(now, "/bin/toolgraph") {
		t.Errorf("killed at change %d:\n%s", n, now)
	}
	return h, before, done
}

// isUndone checks that nothing of an adoption is left, and that the host's file has its entries of before.
func (c again) isUndone(t *testing.T, h *home, n int, before string) {
	t.Helper()
	path := h.file(c.host)
	done, err := undo(t, c.host)
	if err != nil || len(done.Left) > 0 || registered(t) != nil {
		t.Fatalf("killed at change %d, then undone: %v %+v, registry %v", n, err, done, registered(t))
	}
	src := []byte(h.read(path))
	names, err := hostconfig.Find(c.host).Names(path, src)
	same, failed := hostconfig.Find(c.host).SameEntries(path, src, []byte(before), names)
	if slices.Sort(names); err != nil || failed != nil || !same || !slices.Equal(names, c.names) {
		t.Errorf("killed at change %d, then undone: %v %v\n%s", n, err, failed, src)
	}
	if before == configured[c.host] && string(src) != before {
		t.Errorf("killed at change %d, then undone, not byte for byte:\n%s", n, src)
	}
	r, err := registry.OfUser()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range h.files() {
		if strings.HasPrefix(file, filepath.Dir(r.Path)) && !strings.HasPrefix(filepath.Base(file), ".") { // a half-written file is hidden
			t.Errorf("killed at change %d, then undone: %s is left", n, file)
		}
	}
	if _, err := undo(t, c.host); !errors.Is(err, adopt.ErrNothing) {
		t.Errorf("killed at change %d, then undone twice: %v", n, err)
	}
}

// W09: a second adoption, which adopts other servers than the first, is killed at each change of the disk: the same command
// finishes it, and to undo takes both back. In the registry is then what is adopted, and nothing of the first adoption alone.
func TestW09SecondAdoptionKilled(t *testing.T) {
	for name, c := range secondTimes {
		t.Run(name, func(t *testing.T) {
			n, step := 1, thorough.Step(3)
			if name == "kept" {
				step = 1
			}
			for done := false; !done; n += step {
				var h *home
				var before string
				h, before, done = c.begin(t, n)
				killed := map[string][]byte{}
				for _, file := range h.files() {
					killed[file] = []byte(h.read(file))
				}
				c.isUndone(t, h, n, before)
				h.restore(killed)
				if err := write(t, c.host, c.keep...); err != nil || !slices.Equal(registered(t), c.has) {
					t.Errorf("killed at change %d, then adopted: %v, registry %v", n, err, registered(t))
				}
				if record := h.read(filepath.Join(filepath.Dir(h.registry()), "adopted", c.host, "adopted.json")); strings.Contains(record, `"earlier"`) {
					t.Errorf("killed at change %d, then adopted: the record has the earlier one still: %s", n, record)
				}
				if found := h.hasSecrets(c.host); found != nil {
					t.Errorf("killed at change %d: %v", n, found)
				}
				c.isUndone(t, h, n, before)
			}
			if n < 10 {
				t.Errorf("only %d changes were tried", n)
			}
		})
	}
}

// W09: a server that a host no longer adopts stays in the registry while another host uses it, and goes with that one.
func TestW09DroppedServerOfTwoHosts(t *testing.T) {
	newHome(t, "cursor", "codex")
	for _, host := range []string{"cursor", "codex"} {
		if err := write(t, host); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(t, "cursor", "mail"); err != nil || !slices.Equal(registered(t), []string{"files", "mail"}) {
		t.Errorf("%v %v", err, registered(t))
	}
	if _, err := undo(t, "codex"); err != nil || !slices.Equal(registered(t), []string{"files"}) {
		t.Errorf("%v %v", err, registered(t))
	}
	if _, err := undo(t, "cursor"); err != nil || registered(t) != nil {
		t.Errorf("%v %v", err, registered(t))
	}
}

// W09: the second adoption of a host was killed, and its graph file is still that of the first: what this one uses stays in
// the registry when the host that has added it is taken back, and goes with the other.
func TestW09KilledBesideAnotherHost(t *testing.T) {
	for n := 1; n < 12; n += thorough.Step(3) {
		newHome(t, "cursor", "codex")
		for _, host := range []string{"cursor", "codex"} {
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
		}
		if endsAt(t, n, "adopt codex mail") {
			t.Fatalf("it has only %d changes", n)
		}
		if done, err := undo(t, "cursor"); err != nil || !slices.Equal(registered(t), []string{"files", "mail"}) {
			t.Errorf("killed at change %d: %v %v %v", n, err, registered(t), done)
		}
		if _, err := undo(t, "codex"); err != nil || registered(t) != nil {
			t.Errorf("killed at change %d: %v %v", n, err, registered(t))
		}
	}
}

// files are all files of the home directory.
func (h *home) files() (paths []string) {
	h.t.Helper()
	if err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	return paths
}

// restore makes the home directory have these files alone.
func (h *home) restore(contents map[string][]byte) {
	h.t.Helper()
	for _, file := range h.files() {
		if err := os.Remove(file); err != nil {
			h.t.Fatal(err)
		}
	}
	for file, content := range contents {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// registry is the path of the user's registry.
func (h *home) registry() string {
	h.t.Helper()
	r, err := registry.OfUser()
	if err != nil {
		h.t.Fatal(err)
	}
	return r.Path
}
