package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/base/files"
)

// fullTool has every part that a hash covers, and sealedTool has parts that the lock stores
// shortened or not at all.
const fullTool = listing

var sealedTool = `{"name":"list","title":"List","description":"` + strings.Repeat("Lists. ", 200) + `",` +
	`"inputSchema":{"type":"object","required":["path"],"properties":{"path":{"type":"string","description":"Where."}}},` +
	`"outputSchema":{"x":"` + strings.Repeat("y", maxStored) + `"},"annotations":{"readOnlyHint":true}}`

// lockedAs writes the lock of a tool in one of the formats and returns its path.
func lockedAs(t *testing.T, format int, src string) (path, text string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "g.lock.yaml")
	text = string(Of(path, pin(t, src)).Encode())
	if format == firstFormat {
		lines := strings.Split(strings.Replace(text, "version: 2", "version: 1", 1), "\n")
		text = ""
		for _, line := range lines {
			if !strings.Contains(line, sealKey) {
				text += line + "\n"
			}
		}
	}
	rewrite(t, path, text)
	return path, text
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// V08: a lock whose definition does not match its hash contradicts itself, whichever part
// was edited.
func TestV08EditedLock(t *testing.T) {
	edits := map[string][2]string{
		"identity":            {"identity: npx files .", "identity: npx other ."},
		"name":                {"      list:\n", "      read:\n"},
		"title":               {"title: List", "title: Lists"},
		"no title":            {"        title: List\n", ""},
		"description":         {"description: \"Lists", "description: \"Writes"},
		"short description":   {"description: Lists", "description: Writes"},
		"in inputSchema":      {"description: Where.", "description: Everywhere."},
		"inputSchema":         {"required: [path]", "required: []"},
		"outputSchema":        {"type: integer", "type: number"},
		"digits":              {"maximum: 9007199254740993", "maximum: 9007199254740994"},
		"annotations":         {"readOnlyHint: true", "readOnlyHint: false"},
		"another annotation":  {"readOnlyHint: true", "readOnlyHint: true\n          destructiveHint: false"},
		"no annotations":      {"        annotations:\n          readOnlyHint: true\n", ""},
		"learned for omitted": {"omitted: [outputSchema]", "omitted: []"},
		"learned outputSchema": {
			"        outputSchema:\n", "        learned: true\n        answers: 2\n        outputSchema:\n",
		},
	}
	made := 0
	for _, c := range []struct {
		name   string
		format int
		src    string
	}{{"whole", version, fullTool}, {"sealed", version, sealedTool}, {"first format", firstFormat, fullTool}} {
		path, text := lockedAs(t, c.format, c.src)
		if l, err := Load(path); err != nil || len(l.Entries) != 1 {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		for name, edit := range edits {
			if !strings.Contains(text, edit[0]) {
				continue
			}
			made++
			rewrite(t, path, strings.Replace(text, edit[0], edit[1], 1))
			_, err := Load(path)
			want := `the lock contradicts itself: the definition of tool "` + map[bool]string{true: "read", false: "list"}[name == "name"] + `" of server "files" does not match its hash`
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run toolgraph lock") || !strings.Contains(err.Error(), "g.lock.yaml:") {
				t.Errorf("%s, %s: got %v", c.name, name, err)
			}
			if l, edited, err := LoadToReplace(path); l == nil || err != nil || len(edited) != 1 || edited[0].Code != "lock-edited" {
				t.Errorf("%s, %s: to be replaced: %v, %v, %v", c.name, name, l, edited, err)
			}
		}
	}
	if made < 30 {
		t.Errorf("only %d edits were made", made)
	}
}

// A lock of the first format stays valid even if it does not store all that its hashes
// cover; read and written again, it is as safe as a new one.
func TestFirstFormatStaysValid(t *testing.T) {
	for name, src := range map[string]string{
		"whole":     fullTool,
		"truncated": sealedTool,
		"hidden":    `{"name":"list","description":"a\u200bb"}`,
		"in schema": `{"name":"list","inputSchema":{"title":"` + strings.Repeat("t", 400) + `"}}`,
		"too deep":  `{"name":"list","inputSchema":` + strings.Repeat(`{"items":`, 70) + `true` + strings.Repeat(`}`, 71),
		"empty":     `{"name":"list","title":"","description":"","annotations":{}}`,
		"null":      `{"name":"list","title":null,"outputSchema":null,"description":""}`,
		"bare":      `{"name":"list"}`,
	} {
		path, text := lockedAs(t, firstFormat, src)
		l, err := Load(path)
		if err != nil {
			t.Errorf("%s: %v\n%.2000s", name, err, text)
			continue
		}
		if changes := l.Compare(Of(path, pin(t, src))); len(changes) != 0 {
			t.Errorf("%s: it is stale: %+v", name, changes)
		}
		if err := l.Write(path, files.NoLinks); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err != nil {
			t.Errorf("%s: written again: %v", name, err)
		}
	}
}

// An edit that no seal reveals in a lock of the first format is found by the call.
func TestGuardComparesAnnotations(t *testing.T) {
	path, text := lockedAs(t, firstFormat, sealedTool)
	rewrite(t, path, strings.Replace(text, "readOnlyHint: true", "readOnlyHint: false", 1))
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	file := &config.File{Path: "g.yaml", Servers: []*config.Upstream{server("files", "npx files .")}}
	refused := l.Guard(file)("files", tool(t, sealedTool))
	if refused == nil || refused.Code != CodeChanged || !strings.Contains(fmt.Sprint(refused), "~ annotations.readOnlyHint: false → true") {
		t.Errorf("got %v", refused)
	}
	if changes := l.Compare(Of(path, pin(t, sealedTool))); len(changes) != 1 || changes[0].Kind != Changed {
		t.Errorf("got %+v", changes)
	}
}
