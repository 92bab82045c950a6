package shape

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"
)

// judged counts what a comparison of values with inferred shapes has seen.
type judged struct {
	total     int               // inferences: expressions, each over the exact shape of its data and over a looser one
	unknown   int               // of them, those with the shape Any
	different map[string]string // complaints by expression
}

// subject is a value that expressions are evaluated over, with shapes of it.
type subject struct {
	data   value.Value
	exact  Shape
	looser Shape
}

func subjectOf(data value.Value) subject {
	return subject{data, Constant(data), OfSchema(OfValue(data).Schema())}
}

// judge evaluates an expression over a subject and compares its value with the shapes that are
// inferred for it. Expressions that do not compile are skipped.
func (j *judged) judge(t *testing.T, source string, on subject) {
	t.Helper()
	e, err := jsonata.Compile(t.Context(), source)
	if err != nil {
		return
	}
	v, err := evaluated(e, on.data)
	for _, focus := range []Shape{on.exact, on.looser} {
		complaint, known := unsoundOf(source, e, v, err, focus)
		j.total++
		if !known {
			j.unknown++
		}
		if complaint != "" {
			j.different[source] = complaint
		}
	}
}

// report fails the test for each contradiction, and when more shapes are Any than most of a
// thousand.
func (j *judged) report(t *testing.T, name string, most int) {
	t.Helper()
	shown := 0
	for _, complaint := range j.different {
		if shown++; shown <= 20 {
			t.Error(complaint)
		}
	}
	share := j.unknown * 1000 / max(1, j.total)
	t.Logf("%s: %d inferences, %d contradictions, %d unknown (%d of 1000)", name, j.total, len(j.different), j.unknown, share)
	if share > most {
		t.Errorf("%s: %d of 1000 shapes are Any, want at most %d", name, share, most)
	}
}

func newJudged() *judged { return &judged{different: map[string]string{}} }

// corpusLines calls f with each line of a file.
func corpusLines(t *testing.T, name string, f func(i int, line []byte)) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for i := 0; lines.Scan(); i++ {
		f(i, lines.Bytes())
	}
}

func decoded[T any](t *testing.T, line []byte) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(line, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func valueOfJSON(t *testing.T, text []byte) value.Value {
	t.Helper()
	v, err := value.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// pairData are the data of a file of pairs.
func pairData(t *testing.T, name string) []subject {
	t.Helper()
	var subjects []subject
	corpusLines(t, name, func(i int, line []byte) {
		if i > 0 {
			return
		}
		for _, data := range valueOfJSON(t, line).([]any) {
			subjects = append(subjects, subjectOf(data))
		}
	})
	return subjects
}

// TestX12Pairs compares the inferred shapes of the expressions in the files of pairs with their values.
func TestX12Pairs(t *testing.T) {
	for name, most := range map[string]int{"pairs": 50, "pairs_rare": 251} {
		path := "../jsonata/testdata/" + name + ".jsonl"
		subjects, j := pairData(t, path), newJudged()
		corpusLines(t, path, func(i int, line []byte) {
			if i > 0 {
				p := decoded[struct {
					Data int    `json:"d"`
					Expr string `json:"e"`
				}](t, line)
				j.judge(t, p.Expr, subjects[p.Data])
			}
		})
		j.report(t, name, most)
	}
}

// TestX12Differential compares them for expressions that other engines were compared with. The
// file is not part of the tree.
func TestX12Differential(t *testing.T) {
	const name = "../../../shared/data/jsonata-differential.jsonl"
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no such file")
	}
	var on subject
	j := newJudged()
	corpusLines(t, name, func(i int, line []byte) {
		row := decoded[struct {
			Doc  json.RawMessage `json:"doc"`
			Expr string          `json:"expr"`
		}](t, line)
		if row.Doc != nil {
			on = subjectOf(valueOfJSON(t, row.Doc))
			return
		}
		j.judge(t, row.Expr, on)
	})
	j.report(t, "differential", 11)
}

// TestX12Functions compares them for calls of functions, with constants and with data.
func TestX12Functions(t *testing.T) {
	j := newJudged()
	for _, name := range []string{"functions", "pictures"} {
		corpusLines(t, "../jsonata/testdata/"+name+".jsonl", func(_ int, line []byte) {
			row := decoded[struct {
				Function string            `json:"f"`
				Args     []json.RawMessage `json:"args"`
			}](t, line)
			data, call := value.NewMap(), "$"+row.Function+"("
			for i, arg := range row.Args {
				if i > 0 {
					call += ", "
				}
				name := fmt.Sprintf("a%d", i)
				data.Set(name, valueOfJSON(t, arg))
				call += name
			}
			j.judge(t, call+")", subjectOf(data))
		})
	}
	j.report(t, "functions", 0)
}

// TestX12Causes compares them for expressions whose shapes were too small once.
func TestX12Causes(t *testing.T) {
	on := subjectOf(valueOfJSON(t, []byte(`{"entry": {"name": "a"}, "staff": [], "depts": [], "items": [{"id": 1, "tags": ["x"]}, {"id": 2, "tags": []}]}`)))
	for source, want := range map[string]string{
		`($a := $.entry.name; {"v": $a[]})`:              `{v: "a"}`,
		`{"v": $.entry.name[]}`:                          `{v: array of "a"}`,
		`items{$string(id): tags}."1"`:                   `object`,
		`items{"all": $count($)}.all`:                    `{all?: integer}`,
		`[staff, depts].b`:                               `empty array or missing`,
		`items[[0, 0]].id`:                               `1 or 2 or array of 1 or 2 or missing`,
		`items.nothing[true]`:                            `array or missing`,
		`"x"[]`:                                          `"x"`,
		`(entry.name)[]`:                                 `"a"`,
		`$filter(items, function($i){$i.id = 1})[]`:      `array of {id: 1 or 2, tags: array of "x"} or missing`,
		`items.tags`:                                     `"x" or array of "x" or missing`,
		`$map(items, function($i){$keys({"k": $i.id})})`: `array of ("k" or array of "k") or missing`,
		`$map(items, function($i){$filter($i.tags, function($t){false})})`: `array of ("x" or array of "x") or missing`,
		`entry.name.$split("")`: `array of string or missing`,
	} {
		j := newJudged()
		j.judge(t, source, on)
		j.report(t, source, 1000)
		e, _ := jsonata.Compile(t.Context(), source)
		if got, _ := inferOver(t.Context(), e, &Env{Open: true}, of(on.exact), map[string]fact{}, false); got.String() != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

// TestX12Random compares them for random expressions.
func TestX12Random(t *testing.T) {
	subjects, j := pairData(t, "../jsonata/testdata/pairs.jsonl"), newJudged()
	g := grammar{rand.New(rand.NewPCG(12, 28))}
	for range thorough.Times(1_000, 57_000) {
		j.judge(t, g.expression(1+g.IntN(2)), subjects[g.IntN(len(subjects))])
	}
	j.report(t, "random", 96)
}
