package graphtest

import (
	"os"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

const casesTests = `mocks:
  files.list: {result: {names: [z]}}
tests:
  - name: sums           # what its cases share
    tool: add
    args: {dir: d}
    mocks: {read: {result: {n: 1}}}
    expect: {path: [entry, list, more, ..., sum, exit]}
    cases:
      - name: none
        mocks: {list: {result: {names: []}}}
        expect: {isError: true, contains: result.sum, executions: {read: 0}}
      - name: two
        args: {dir: other}
        mocks: {list: [{when: {path: other}, result: {names: [a, b]}}], read: [{when: {path: b}, result: {n: 5}}]}
        expect: {value: {sum: 6}, calls: [{args: {path: other}}, ...]}
      - {name: of the file, expect: {value: {sum: 1}}}
      - {name: short, limits: {maxNodeExecutions: 2}, expect: {isError: true, contains: maxNodeExecutions, path: [entry, list]}}
  - name: by name
    tool: fixed
    cases:
      one: {args: {x: 1}, expect: {value: {x: 1}}}
      two: {args: {x: 2}, expect: {value: {x: 2}}}
`

func names(report *Report) string {
	var all []string
	for _, r := range report.Results {
		all = append(all, r.Case.Name)
	}
	return strings.Join(all, ",")
}

// Each case of a test has the test's lines and its own over them, and a name of its own.
func TestCasesOfATest(t *testing.T) {
	s := suiteOf(t, casesTests)
	report := reportOf(t, s, Options{})
	if got, want := names(report), "sums/none,sums/two,sums/of the file,sums/short,by name/one,by name/two"; got != want {
		t.Errorf("the cases are %s, want %s", got, want)
	}
	allPass(t, "cases", report)
	for only, want := range map[string]string{
		"^sums$": "sums/none,sums/two,sums/of the file,sums/short", "two": "sums/two,by name/two", "^sums/two$": "sums/two", "^by name/": "by name/one,by name/two",
	} {
		if got := names(reportOf(t, s, Options{Only: regexpOf(only)})); got != want {
			t.Errorf("--run %s: %s, want %s", only, got, want)
		}
	}
	var coverage Coverage
	coverage.Add(report)
	if c := coverage.Tools()[0]; c.Nodes.Count != c.Nodes.Of || c.Conditions.Count != 2 {
		t.Errorf("they reach %+v", c)
	}
}

// A case that fails is reported at its own lines, with its own name.
func TestCasesFail(t *testing.T) {
	s := suiteOf(t, strings.NewReplacer("sum: 6", "sum: 7", "executions: {read: 0}", "executions: {read: 3}", "two: {args: {x: 2}", "two: {args: {x: 3}").Replace(casesTests))
	report := reportOf(t, s, Options{})
	for name, want := range map[string]string{
		"sums/none":   `g.test.yaml:12:74: node "read" has run never, expected 3`,
		"sums/two":    `g.test.yaml:16:25: the value is not the expected one`,
		"by name/two": `g.test.yaml:23:43: the value is not the expected one`,
	} {
		for _, r := range report.Results {
			if r.Case.Name == name && !strings.Contains(problems(r), want) {
				t.Errorf("%s: got %s", name, problems(r))
			}
		}
	}
	var out strings.Builder
	if err := WriteJUnit(&out, []*Report{report}); err != nil || !strings.Contains(out.String(), `<testcase name="sums/two"`) || !strings.Contains(out.String(), `line="13"`) {
		t.Errorf("%v\n%s", err, out.String())
	}
	raw, err := report.Results[1].MarshalJSON()
	if err != nil || !strings.Contains(string(raw), `"test":"sums/two","tool":"add","line":13`) {
		t.Errorf("%v %s", err, raw)
	}
}

// --update writes into the case, in the form in which the file is written.
func TestUpdateCases(t *testing.T) {
	src := strings.NewReplacer("sum: 6", "sum: 7", "{value: {x: 2}}", "{value: {x: 9}}", "      - {name: of the file, expect: {value: {sum: 1}}}\n", "      - {name: of the file} # the path is enough\n",
		"      one: {args: {x: 1}, expect: {value: {x: 1}}}\n", "      # the first\n      one:\n        args: {x: 1} # it\n      \n").Replace(casesTests)
	path := suiteOf(t, casesTests).Path
	write(t, path, src)
	s, err := Load(path, WithDrafts())
	if err != nil {
		t.Fatal(err)
	}
	updated, which, err := reportOf(t, s, Options{}).Update([]byte(src))
	if err != nil || strings.Join(which, ",") != "sums/two,by name/one,by name/two" {
		t.Fatalf("%v: updated %v\n%s", err, which, updated)
	}
	want := strings.NewReplacer(" {value: {sum: 7}, calls: [{args: {path: other}}, ...]}", "\n          value: {sum: 6}\n          calls: [{args: {path: other}}, \"...\"]", "expect: {value: {x: 9}}", "expect: {value: {x: 2}}",
		"        args: {x: 1} # it\n", "        args: {x: 1} # it\n        expect: {value: {x: 1}, path: [entry, exit]}\n").Replace(src)
	if string(updated) != want {
		t.Errorf("got\n%s\nwant\n%s", updated, want)
	}
	write(t, path, string(updated))
	if s, err = Load(path); err != nil {
		t.Fatal(err)
	}
	allPass(t, "updated", reportOf(t, s, Options{}))
}

// Cases are recorded and played by their names.
func TestRecordCases(t *testing.T) {
	s := suiteOf(t, `tests:
  - name: both
    tool: add
    env: {GRAPHTEST_TOKEN: x}
    cases:
      - {name: two, args: {dir: d}, expect: {value: {sum: 3}}}
      - {name: gone, args: {dir: nowhere}, expect: {isError: true}}
`)
	allPass(t, "recording", reportOf(t, s, Options{Mode: Record, Connect: newFake().connect}))
	if src, err := os.ReadFile(s.Cassette()); err != nil || !strings.Contains(string(src), `"test": "both/two"`) {
		t.Errorf("%v %s", err, src)
	}
	allPass(t, "replaying", reportOf(t, s, Options{}))
}

// Every mistake in cases is reported at its place, and one that they share once.
func TestCasesRefused(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"cases: 5", `1:30: cases of test "a" is the number 5, expected a list of cases, or a mapping of names to cases`},
		{"cases: []", `test "a" has no cases, expected at least one`},
		{"cases: {}", `test "a" has no cases, expected at least one`},
		{"cases: [5]", `1:31: case "" of test "a" is the number 5, expected a mapping`},
		{"cases: [{expect: {value: 1}}]", `1:31: a case of test "a" has no name; write name: and what the case shows`},
		{"cases: {x: {name: y, expect: {value: 1}}}", `1:41: case "x" of test "a" has a name besides its key`},
		{"cases: {x: {}}", `1:31: test "a/x" expects nothing`},
		{"cases: {x: {exepct: {value: 1}}}", `1:35: unknown field "exepct" of case "x" of test "a"; did you mean "expect"?`},
		{"cases: {x: {expect: {valu: 1}}}", `unknown field "valu" of expect of test "a/x"; did you mean "value"?`},
		{"cases: [{name: x, expect: {value: 1}}, {name: x, expect: {value: 1}}]", `duplicate name "a/x" (first used on line 1)`},
		{"expect: {isError: true}, cases: {x: {expect: {value: 1}}}", `expect of test "a/x" has a value besides isError: true`},
		{"mocks: {n: {}}, cases: {x: {expect: {value: 1}}, y: {expect: {value: 1}}}", `mock "n" has 0 of`},
		{"cases: {x: {mocks: {n: {}}, expect: {value: 1}}}", `mock "n" has 0 of`},
		{"cases: {x: {tool: b, expect: {value: 1}}}", `unknown field "tool" of case "x"`},
	} {
		_, err := parseOf(t, "tests: [{name: a, tool: fixed, "+c.src+"}]")
		want := strings.Replace(c.want, "1:30:", "1:39:", 1)
		for was, is := range map[string]string{"1:31:": "1:40:", "1:35:": "1:44:", "1:41:": "1:50:"} {
			want = strings.Replace(want, was, is, 1)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q alone", c.src, err, want)
		}
	}
	_, err := parseOf(t, "tests:\n  - {name: a, tool: fixed, args: [], mocks: {n: {}}, cases: {x: {}, y: {expect: {}}, z: {expect: {value: 1}}}}\n")
	if got := strings.Count(err.Error(), "\n") + 1; got != 4 {
		t.Errorf("%d mistakes, want those of args, the mock, x and y:\n%v", got, err)
	}
	_, err = parseOf(t, "tests: [{name: a, tool: fixed, args: {x: "+strings.Repeat("x", 300_000)+"}, cases: ["+strings.Repeat("{name: a},", 300)+"]}]")
	if err == nil || !strings.Contains(err.Error(), `test "a" has 300 cases that repeat its 3000`) {
		t.Errorf("got %.300v", err)
	}
}

// What cases cost grows as they do.
func TestCasesAreLinear(t *testing.T) {
	cost.Linear(t, 200, func(n int) func() {
		src := "tests:\n  - name: a\n    tool: t\n    args: {x: 1}\n    cases:\n"
		for i := range n {
			src += "      c" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/7) + ": {expect: {value: 1}}\n"
		}
		return func() {
			if s, err := Parse("g.test.yaml", []byte(src)); err != nil || len(s.Cases) != n {
				t.Errorf("%d: %v", n, err)
			}
		}
	})
}

// All mistakes of a test file are reported at once: of its form, of names that its graph does
// not have, and of files beside it that cannot be read.
func TestMistakesAtOnce(t *testing.T) {
	s, err := parseOf(t, `tests:
  - {name: a, tool: ad, args: 5, expect: {value: 1}}
  - {name: b, tool: add, args: {dir: d}, mocks: {raed: {result: 1}}, expect: {value: 1}}
  - {name: c, tool: add, expected: {value: 1}}
`)
	if s == nil || err == nil {
		t.Fatalf("got %v, %v", s, err)
	}
	write(t, s.Cassette(), "{")
	more := s.Mistakes(t.Context(), Options{})
	if more == nil {
		t.Fatal("nothing more is wrong")
	}
	all := err.Error() + "\n" + more.Error()
	for _, want := range []string{
		`2:31: args of test "a" is the number 5`, `has no tool "ad"; did you mean "add"?`, `has no mcp node, graph node, ask node or server.tool "raed"; did you mean "read"?`,
		`unknown field "expected" of a test; did you mean "expect"?`, "g.cassette.json:1:1 is not a cassette",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	report := &Report{Err: more}
	if found, others := report.Mistakes(); len(found) != 2 || len(others) != 1 {
		t.Errorf("%d findings and %v", len(found), others)
	}
}
