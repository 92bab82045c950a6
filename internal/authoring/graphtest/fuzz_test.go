package graphtest

import "testing"

// Whatever a test file holds, it is read or refused with words.
func FuzzParse(f *testing.F) {
	for _, src := range []string{recordTests, updateTests, "tests: [{}]", "mocks: {a: [{when: 1, sequence: [{error: x}], repeat: last}]}\ntests: [1]", "tests: {expect: {calls: [...]}}"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse("g.test.yaml", src, WithDrafts())
		if err == nil && len(s.Cases) == 0 {
			t.Error("a file without tests was taken")
		}
		if err != nil && err.Error() == "" {
			t.Error("a file was refused without words")
		}
	})
}

// What was read of a cassette is written as something that reads the same.
func FuzzCassette(f *testing.F) {
	f.Add([]byte(`{"version": 1, "runs": [{"test": "a", "calls": [{"server": "s", "tool": "t", "args": {}, "result": null}], "steps": [{"node": "n", "output": 1e3}]}]}`))
	f.Add([]byte(`{"version": 1, "runs": [{"calls": [{"server": "s", "tool": "t", "args": [1], "error": {"message": "\u202e"}}]}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := parseCassette("g", src)
		if err != nil {
			return
		}
		first, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseCassette("g", first)
		if err != nil {
			t.Fatalf("%v: %s", err, first)
		}
		if second, err := again.Encode(); err != nil || string(second) != string(first) {
			t.Errorf("%v: %s became %s", err, first, second)
		}
	})
}
