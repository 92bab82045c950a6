package second

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// answering is the argument with which the executable of the tests answers a question.
const answering = "-answering"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == answering {
		LimitMemory()
		if err := Answer(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func ask(t *testing.T, q *Question) Opinion {
	t.Helper()
	o, err := Ask(t.Context(), q, os.Args[0], answering)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOpinions(t *testing.T) {
	data, err := value.Decode([]byte(`{"n": 3, "big": 12345678901234567890, "items": [{"tag": "a"}, {"tag": null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule         bool
		source, want string // JSON, "" for no value, or part of a failure after !
	}{
		{false, `n + 1`, `4`},
		{false, `items.tag`, `["a",null]`},
		{false, `missing`, ``},
		{false, `$x * 2`, `10`},
		{false, `$count(items)`, `2`},
		{false, `n +`, `!unexpected end of expression`},
		{false, `n - "a"`, `!must evaluate to a number`},
		{true, `{"+": [{"var": "n"}, 1]}`, `4`},
		{true, `{"var": "missing"}`, `null`},
		{true, `{"nope": 1}`, `!not supported`},
		{true, `{"`, `!`},
	} {
		o := ask(t, &Question{Rule: c.rule, Source: c.source, Data: value.JSON{Value: data}, Variables: map[string]value.JSON{"x": {Value: 5.0}}})
		if failure, fails := strings.CutPrefix(c.want, "!"); fails {
			if o.Failure == "" || !strings.Contains(o.Failure, failure) {
				t.Errorf("%s: %+v, want a failure with %q", c.source, o, failure)
			}
			continue
		}
		var want value.Value
		if c.want != "" {
			if want, err = value.Decode([]byte(c.want)); err != nil {
				t.Fatal(err)
			}
		}
		if agrees, err := o.Agrees(t.Context(), want); !agrees || err != nil {
			t.Errorf("%s: %+v, %v; want %s", c.source, o, err, c.want)
		}
	}
}

// An engine that crashes, never ends or takes too much memory is an opinion without a value.
func TestEnginesDoNoHarm(t *testing.T) {
	if o := ask(t, &Question{Source: `($f := function($n){[$f($n), $f($n)]}; $f(1))`}); o.Failure == "" {
		t.Errorf("endless recursion: %+v", o)
	}
	before := mostTime
	mostTime = time.Second
	defer func() { mostTime = before }()
	endless := `$count($map([1..5000000], function($x){$count([1..100000])}))`
	if o := ask(t, &Question{Source: endless}); !strings.HasPrefix(o.Failure, "no answer within") && !strings.HasPrefix(o.Failure, "takes more than") {
		t.Errorf("endless work: %+v", o)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	stop(cause)
	if _, err := Ask(ctx, &Question{Source: `1`}, os.Args[0], answering); !errors.Is(err, cause) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := Ask(t.Context(), &Question{Source: `1`}, "/nowhere/toolgraph"); err == nil {
		t.Error("a command that is missing gives an opinion")
	}
}
