package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/files"
	"toolgraph/mcpclient"
)

func TestLoadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.lock.yaml")
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no lock gives %v", err)
	}
	good := string(Of(path, pin(t, listing)).Encode())
	for name, c := range map[string]struct{ was, is, want string }{
		"empty":    {good, "", "empty"},
		"list":     {good, "[1]\n", "the lock is not a mapping"},
		"conflict": {"version: 2\n", "<<<<<<< HEAD\nversion: 2\n", "g.lock.yaml:"},
		"version":  {"version: 2", "version: 4", "3:10: the version of the lock is 4, expected 1, 2 or 3"},
		"none":     {"version: 2\n", "", "the version of the lock is null, expected 1, 2 or 3"},
		"key":      {"identity:", "identiti:", `server "files" has the unknown key "identiti"`},
		"hash":     {`hash: "sha256:`, `hash: "md5:`, `the hash of tool "list" of server "files" is "md5:`},
		"tools":    {"tools:\n", "tools: 5\nx:\n", "tools of server"},
		"text":     {"title: List", "title: [5]", `title of tool "list" of server "files" is not a string`},
		"learned":  {"title: List", "learned: true", "has learned without a number of answers"},
	} {
		if !strings.Contains(good, c.was) {
			t.Fatalf("%s: %q is not in\n%s", name, c.was, good)
		}
		src := strings.Replace(good, c.was, c.is, 1)
		if name == "tools" {
			src = strings.Split(src, "x:\n")[0]
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		var found config.Diagnostics
		if _, err := Load(path); !errors.As(err, &found) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "g.lock.yaml")
	l := Of(link, pin(t, listing))
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	for range 2 {
		if err := l.Write(link, files.AnyLinks); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(src, l.Encode()) {
		t.Errorf("written %s %v", src, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if info, err = os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
	if err := l.Write(dir, files.NoLinks); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory gives %v", err)
	}
	var many []Entry
	for i := range 40 {
		e := pin(t, `{"name":"list","outputSchema":{"x":"`+strings.Repeat("y", maxStored-100)+`"}}`)
		e.Tool = strings.Repeat("t", i+1)
		many = append(many, e)
	}
	if err := Of(link, many...).Write(link, files.NoLinks); err == nil || !strings.Contains(err.Error(), "split the graph file") {
		t.Errorf("a lock that is too large gives %v", err)
	}
}

func FuzzPin(f *testing.F) {
	f.Add(listing)
	f.Add(`{"name":"a","description":"\u0000\ud800\u200b\u202e","inputSchema":{"<<":{},"":[[],{}],"a: b":" #"}}`)
	f.Add(`{"name":"a","inputSchema":5,"outputSchema":[null,1e400],"annotations":"x"}`)
	f.Fuzz(func(t *testing.T, src string) {
		listed := mcpclient.Tool{Raw: json.RawMessage(src)}
		if _ = json.Unmarshal([]byte(src), &listed); listed.Name == "" || !json.Valid([]byte(src)) || len(listed.Name) > 150 {
			return
		}
		e := Pin(server("files", "x"), listed, nil)
		l := Of("g.lock.yaml", e)
		path := filepath.Join(t.TempDir(), "g.lock.yaml")
		if err := l.Write(path, files.NoLinks); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path)
		if err != nil || !bytes.Equal(again.Encode(), l.Encode()) || len(l.Compare(again)) != 0 {
			t.Fatalf("%v\n%s", err, l.Encode())
		}
		for _, e := range again.Entries {
			for _, schema := range [][]byte{e.Input, e.Output, e.Annotations} {
				if _, err := value.Decode(schema); schema != nil && err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Reading any text ends with a lock or findings, and a lock that was read is written to the
// same bytes.
func FuzzRead(f *testing.F) {
	f.Add("version: 1\nservers: {a: {identity: x, tools: {t: {hash: 'sha256:" + strings.Repeat("0", 64) + "', learned: true, answers: 2, outputSchema: {}}}}}\n")
	f.Add("version: 1\nservers: {a: {tools: {t: {hash: 5, omitted: 5, learned: ~, answers: 1e300, inputSchema: [1]}}}}\n")
	f.Add("version: 1\nservers: {a: 5, b: {identity: [], tools: {t: 5}}}\n")
	f.Add("version: 3\ncapabilities: {tools: {t: {asks: true, calls: {a.b: 'read, read', .: destroy if confirmed}}}, variables: {s: [A, A], u: [], '': [x]}}\n")
	f.Fuzz(func(t *testing.T, src string) {
		data, err := config.ParseData("g.lock.yaml", []byte(src))
		if err != nil {
			return
		}
		l, _, err := read("g.lock.yaml", data)
		if err != nil {
			return
		}
		written, err := config.ParseData("g.lock.yaml", l.Encode())
		if err != nil {
			return // a name that is too long for a key
		}
		again, _, err := read("g.lock.yaml", written)
		if err != nil || !bytes.Equal(again.Encode(), l.Encode()) {
			t.Fatalf("%v\n%s", err, l.Encode())
		}
	})
}
