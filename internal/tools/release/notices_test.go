package main

import (
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/docs"
)

// The notices have every module that is linked on this system, in its version, with all its texts. Those of the other systems are
// counted in their executables by make release-check.
func TestNoticesHaveEveryModule(t *testing.T) {
	all, err := linkedModules(t.Context(), root, []target{here()})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Errorf("only %d modules are linked, expected more", len(all))
	}
	known := licenses(docs.Notices)
	for _, l := range all {
		version := l.version
		if version == "" {
			version = "-"
		}
		if got := known[l.path+" "+version]; got != l.license {
			t.Errorf("the notices have %s %s under %q, expected %q; run: make notices", l.path, version, got, l.license)
		}
		for _, text := range l.texts {
			if l.path != "stdlib" && !strings.Contains(docs.Notices, text) {
				t.Errorf("the notices leave out a text of %s: %.60q; run: make notices", l.path, text)
			}
		}
	}
	if !strings.Contains(docs.Notices, strings.TrimSpace(read(t, filepath.Join(root, "LICENSE")))) {
		t.Error("the notices leave out the licence of the project; run: make notices")
	}
}

// A module is refused when nothing says what its licence is.
func TestNoticesNeedALicence(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "LICENSE"), "All rights reserved.")
	l := linked{path: "example.com/a", version: "v1.0.0"}
	if err := l.read([]string{dir}); err == nil || !strings.Contains(err.Error(), "example.com/a v1.0.0 has no licence that is known") {
		t.Errorf("a module without a known licence gives %v", err)
	}
	write(t, filepath.Join(dir, "NOTICE"), "Parts: https://opensource.org/license/mit")
	if err := l.read([]string{dir}); err != nil || l.license != "MIT" || len(l.texts) != 2 {
		t.Errorf("the licence is %q with %d texts, %v; expected MIT with 2", l.license, len(l.texts), err)
	}
}

func TestNoticesWriteEqualTextsOnce(t *testing.T) {
	text := noticesText("own", "page", []linked{
		{path: "stdlib", license: "BSD-3-Clause", texts: []string{"go"}},
		{path: "example.com/a", version: "v1.0.0", license: "MIT", texts: []string{"same", "more"}},
		{path: "example.com/b", version: "v2.0.0", license: "MIT", texts: []string{"same"}},
	})
	if strings.Count(text, "\nsame\n") != 1 || !strings.Contains(text, "\nexample.com/b v2.0.0: MIT [2]\n") {
		t.Errorf("the notices are\n%s", text)
	}
	got := licenses(text)
	if len(got) != 3 || got["stdlib -"] != "BSD-3-Clause" || got["example.com/a v1.0.0"] != "MIT" {
		t.Errorf("they are read as %v", got)
	}
}
