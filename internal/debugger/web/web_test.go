package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What is committed in dist was built from what is committed in src: build.mjs writes
// the same hash.
func TestBuiltFromSources(t *testing.T) {
	paths := []string{"build.mjs", "package-lock.json", "package.json"}
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	sum := sha256.New()
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write([]byte(path + "\n"))
		sum.Write(src)
	}
	built, err := os.ReadFile("dist/SOURCES")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(string(built)), hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("dist was built from other sources (%.12s) than those in src (%.12s); run: make web", got, want)
	}
}

func TestSmallEnoughToOpenAtOnce(t *testing.T) {
	const most, mostLater = 120_000, 170_000 // of what is loaded at once, and of the editor
	var all bytes.Buffer
	for name, src := range files(t) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(src); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-14s %7d bytes, %6d gzipped", name, len(src), packed.Len())
		if name == "editor.js" {
			if packed.Len() > mostLater {
				t.Errorf("%s has %d bytes gzipped, expected at most %d", name, packed.Len(), mostLater)
			}
			continue
		}
		all.Write(packed.Bytes())
	}
	if all.Len() > most {
		t.Errorf("the page has %d bytes gzipped, expected at most %d", all.Len(), most)
	}
}

// The view is one document that asks for nothing, and small enough to be sent to each host.
func TestViewIsOneDocument(t *testing.T) {
	const most = 60_000 // bytes, gzipped as the program has it
	t.Logf("%d bytes, %d gzipped", len(View()), len(view))
	if len(view) > most {
		t.Errorf("the view has %d bytes gzipped, expected at most %d", len(view), most)
	}
	doc := View()
	for _, elsewhere := range []string{`\ssrc=`, `\shref=`, `@import`, `url\((?:["']?)[^#)]`, `fetch\(`, `XMLHttpRequest`, `WebSocket`, `EventSource`, `\beval\(`, `new Function`, `import\(`} {
		if found := regexp.MustCompile(elsewhere).FindStringIndex(doc); found != nil {
			t.Errorf("the view has %q: …%s…", elsewhere, doc[max(0, found[0]-60):min(len(doc), found[1]+60)])
		}
	}
	if strings.Count(doc, "<script") != 1 || strings.Count(doc, "</script") != 1 || strings.Contains(doc, "node_modules/") {
		t.Error("the view has another script, or shows where it was built")
	}
}

// The page asks nothing of other machines, has no script or style in its markup, and
// has no path of the machine that built it.
func TestNothingFromElsewhere(t *testing.T) {
	outside := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}`)
	all := files(t)
	all["the view"] = []byte(View())
	for name, src := range all {
		if name == "LICENSES.txt" {
			continue
		}
		for _, found := range outside.FindAllString(string(src), -1) {
			if !strings.Contains(found, "www.w3.org") { // names of XML's, never fetched
				t.Errorf("%s names %s", name, found)
			}
		}
		if bytes.Contains(src, []byte("sourceMappingURL")) || bytes.Contains(src, []byte("node_modules/")) {
			t.Errorf("%s shows where it was built", name)
		}
	}
	inline := regexp.MustCompile(`<style|<script[^>]*>[^<]|\son\w+=|\sstyle=`)
	if found := inline.Find(files(t)["index.html"]); found != nil {
		t.Errorf("index.html has %q, which its policy forbids", found)
	}
}

// The lock file names packages by version and hash, and no host that they come from.
func TestLockNamesNoHost(t *testing.T) {
	src, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(src, []byte(`"resolved"`)) {
		t.Error("package-lock.json says where packages were downloaded; install with --omit-lockfile-registry-resolved=true")
	}
}

func files(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	names, err := fs.Glob(Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if out[name], err = fs.ReadFile(Files(), name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
