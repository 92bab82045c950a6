package adopt_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"toolgraph/internal/base/files"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

// What adopt writes for a file of each host, in the form that the host documents: testdata/HOST.txt has the host's file, what
// becomes of it, the graph file, the registry, and what is said of each server. The file is the same again after it is undone.
func TestGoldensOfHosts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the golden files have the paths of Unix")
	}
	for _, host := range hostconfig.Names() {
		t.Run(host, func(t *testing.T) {
			golden := filepath.Join("testdata", host+".txt")
			before, want := parts(t, golden)
			h := newHome(t)
			path := h.file(host)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(before), 0o600)); err != nil {
				t.Fatal(err)
			}
			got := h.adopted(host)
			if found := h.hasSecrets(host); found != nil || strings.Count(got, secret) != 1 {
				t.Errorf("the secret is not in the host's file alone: %v\n%s", found, got)
			}
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte("-- before --\n"+before+got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s differs; UPDATE_GOLDEN=1 writes it:\n%s", golden, got)
			}
			if _, err := undo(t, host); err != nil || h.read(path) != before || registered(t) != nil {
				t.Errorf("undone: %v, registry %v\n%s", err, registered(t), h.read(path))
			}
		})
	}
}

// parts are the host's file of a golden file, and all that is expected of it.
func parts(t *testing.T, golden string) (before, want string) {
	t.Helper()
	src, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(strings.TrimPrefix(string(src), "-- before --\n"), "-- after --\n")
	if found {
		rest = "-- after --\n" + rest
	}
	return before, rest
}

// adopted adopts the servers of a host whose environment has no variables, and returns all that is there then.
func (h *home) adopted(host string) string {
	h.t.Helper()
	a, err := read(host)
	if err != nil {
		h.t.Fatal(err)
	}
	a.Lookup(func(string) (string, bool) { return "", false })
	if _, err := a.Write(h.t.Context(), locked, files.LinksInside); err != nil {
		h.t.Fatal(err)
	}
	r, err := registry.OfUser()
	if err != nil {
		h.t.Fatal(err)
	}
	gateway := filepath.Join(filepath.Dir(r.Path), "adopted", host, "gateway.yaml")
	var out strings.Builder
	fmt.Fprintf(&out, "-- after --\n%s-- gateway.yaml --\n%s-- servers.json --\n%s-- said --\n", h.read(h.file(host)), h.read(gateway), h.read(r.Path))
	for _, s := range a.Servers {
		fmt.Fprintf(&out, "%s: %s\n", s.Name, strings.Join(append([]string{cmp.Or(s.Stays, "adopted")}, s.Notes...), "; "))
	}
	return strings.ReplaceAll(out.String(), gateway, "$GATEWAY")
}
