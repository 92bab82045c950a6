package hostconfig

import (
	"strings"
	"testing"
)

// Whatever other entries are written like, their bytes stay.
func TestPutYAMLBytes(t *testing.T) {
	for name, src := range map[string]string{
		"merge":        "x-e: &e\n  a: {cmd: a}\nextensions:\n  <<: *e\n  b:   {cmd: b}\n",
		"block scalar": "extensions:\n  a:\n    description: |+\n      text\n\n\n    cmd: a\n  b:\n    description: |+\n      text\n\n\n",
		"comments":     "# top\nextensions: # mine\n  # first\n  'a': {cmd: a,\n    args: [x]}\n# odd\n  \"b\":\n      cmd:   b\n\nGOOSE_MODEL: 'x'\n",
		"indent 4":     "extensions:\n    a:\n        cmd: a\n",
		"no newline":   "extensions:\n  a: {cmd: a}",
		"crlf":         "extensions:\r\n  a: {cmd: a}\r\n",
		"quoted key":   "\"extensions\":\n  a: {cmd: a}\n",
		"null":         "extensions:\nb: 1\n",
		"anchors":      "d: &d {timeout: 1}\nextensions:\n  a: &a\n    <<: *d\n    cmd: a\n  b: *a\n",
	} {
		got, action := put(t, "goose", src, launch())
		if action != Added || !isSubsequence([]byte(src), []byte(got)) || strings.Count(got, "count-files") != 2 {
			t.Errorf("%s: %s\n%s", name, action, got)
			continue
		}
		start := strings.Index(got, "count-files:")
		start = strings.LastIndex(got[:start], "\n") + 1
		if !strings.HasPrefix(src, got[:start]) || !strings.HasSuffix(got, src[start:]) {
			t.Errorf("%s: more than the entry has changed:\n%s", name, got)
		}
		l := launch()
		l.Args = []string{"-g", "/other.yaml"}
		again, action := put(t, "goose", got, l)
		if want := strings.Replace(got, "/srv/graph.yaml", "/other.yaml", 1); action != Updated || again != want {
			t.Errorf("%s: updated:\n%s\nwant\n%s", name, again, want)
		}
	}
}

// What has no form in which one entry can change alone is refused, with the place and what to do.
func TestPutYAMLRefuses(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"flow":         {"m: 1\nextensions: {a: {cmd: a}}\n", "f:2:1: extensions is written in { }"},
		"json":         {"{\"extensions\": {\"a\": {\"cmd\": \"a\"}}}\n", "f:1:1: the file is written in { }"},
		"alias":        {"e: &e\n  a: {cmd: a}\nextensions: *e\n", "f:3:1: extensions is an alias"},
		"anchor":       {"extensions: &e\n  a: {cmd: a}\nb: *e\n", "f:1:1: extensions is an alias, an anchor"},
		"merged entry": {"e: &e\n  count-files: {cmd: toolgraph}\nextensions:\n  <<: *e\n", "f:3:1: the entry comes from a merge key"},
		"large":        {"# " + strings.Repeat("x", 2<<20) + "\nextensions:\n", "larger than 1 MiB, the maximum that toolgraph reads of this host; add the entry by hand"},
	} {
		if out, _, err := Find("goose").Put("f", []byte(c.src), launch()); err == nil || out != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
