package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// servers is a pool whose servers are what they are called; a definition is a text.
type servers struct {
	mu         sync.Mutex
	identity   func(server string) string
	definition string
}

func (p *servers) Identity(server string) string {
	if p.identity != nil {
		return p.identity(server)
	}
	return server
}

func (p *servers) Definition(context.Context, string, string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.definition
}

func (p *servers) change(definition string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.definition = definition
}

func call(t testing.TB, server, tool, args string) execution.Call {
	t.Helper()
	v, err := value.Decode([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	return execution.Call{Server: server, Tool: tool, Args: v}
}

// counter makes calls that answer with their number.
type counter struct{ calls atomic.Int64 }

func (c *counter) send() (value.Value, error) { return float64(c.calls.Add(1)), nil }

// ask asks for an answer and returns it as text, with a * when it is cached.
func ask(t testing.TB, c execution.Cache, of execution.Call, ttl time.Duration, send func() (value.Value, error)) string {
	t.Helper()
	v, cached, err := c.Answer(t.Context(), of, ttl, send)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprint(v)
	if cached {
		text += "*"
	}
	return text
}

func wants(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An answer is given again for as long as the call that asks for it allows.
func TestAnswerIsGivenAgainForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var server counter
		c, of := New().Of(&servers{}), call(t, "s", "t", `{"a":1}`)
		wants(t, ask(t, c, of, time.Minute, server.send), "1")
		time.Sleep(time.Minute - 1)
		wants(t, ask(t, c, of, time.Minute, server.send), "1*")
		wants(t, ask(t, c, of, time.Second, server.send), "2")
		time.Sleep(time.Minute)
		wants(t, ask(t, c, of, time.Minute, server.send), "3")
		wants(t, ask(t, c, of, time.Hour, server.send), "3*")
	})
}

// F31: the age of an answer is measured by the monotonic clock: it is that of the process, which no
// change of the system's time moves.
func TestF31MonotonicTime(t *testing.T) {
	s := New()
	wants(t, ask(t, s.Of(&servers{}), call(t, "s", "t", `{}`), time.Hour, new(counter).send), "1")
	a, _ := s.recent.Front().Value.(*answer)
	if !strings.Contains(a.at.String(), " m=") {
		t.Errorf("%s has no monotonic time", a.at)
	}
	moved := a.at.Round(0).Add(-365 * 24 * time.Hour) // the wall clock alone
	if s.now().Sub(a.at) > time.Minute || s.now().Sub(moved) < time.Hour {
		t.Error("the age of an answer depends on the wall clock")
	}
}

func TestEqualCalls(t *testing.T) {
	for _, equal := range [][2]string{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`},
		{`{"a":{"x":[1,{"p":1,"q":2}]}}`, `{"a":{"x":[1,{"q":2,"p":1}]}}`},
		{`{"a":1}`, `{"a":1.0}`},
		{`{"a":"ä"}`, `{"a":"\u00e4"}`},
		{`{"n":123456789012345678901234567890}`, `{"n":123456789012345678901234567890}`},
	} {
		var server counter
		c := New().Of(&servers{})
		wants(t, ask(t, c, call(t, "s", "t", equal[0]), time.Hour, server.send), "1")
		wants(t, ask(t, c, call(t, "s", "t", equal[1]), time.Hour, server.send), "1*")
	}
	var server counter
	c := New().Of(&servers{})
	for i, different := range []execution.Call{
		call(t, "s", "t", `{"n":9007199254740993}`), call(t, "s", "t", `{"n":9007199254740992}`),
		call(t, "s", "t", `{"n":123456789012345678901234567890}`), call(t, "s", "t", `{"n":123456789012345678901234567891}`),
		call(t, "s", "t", `{"n":0.1}`), call(t, "s", "t", `{"n":"0.1"}`), call(t, "s", "t", `{"n":[0.1]}`), call(t, "s", "t", `{"n":null}`),
		call(t, "s", "t", `{}`), call(t, "s", "t", `{"n":{}}`), call(t, "s", "t", `{"n":[]}`), call(t, "s", "t", `{"n":""}`),
		call(t, "s", "t", `{"n":["a","b"]}`), call(t, "s", "t", `{"n":["a"],"b":1}`), call(t, "s", "t", `{"n":["b","a"]}`),
		call(t, "s", "t", `{"n":[[1],2]}`), call(t, "s", "t", `{"n":[[1,2]]}`), call(t, "s", "t", `{"n":{"a":{},"b":1}}`), call(t, "s", "t", `{"n":{"a":{"b":1}}}`),
		call(t, "s", "u", `{}`), call(t, "x", "t", `{}`), call(t, "s", "t{}", `{}`), call(t, "st", "", `{}`),
	} {
		wants(t, ask(t, c, different, time.Hour, server.send), fmt.Sprint(i+1))
	}
}

// anyJSON are values that are easily mistaken for one another.
func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]any{value.Null, true, false, "", " ", "0", "1", "null", "{", "[1", "a b", "ab", `"`, 0.0, 1.0, -1.0, 1e21, 0.1, 9007199254740992.0}),
		rapid.Custom(func(t *rapid.T) any {
			return rapid.StringOfN(rapid.SampledFrom([]rune(`a" 1[{,\`)), 0, 3, -1).Draw(t, "text")
		}),
	)
	if depth == 0 {
		return leaf
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(inner, 0, 3).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any {
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"", "a", "b", "ab", " ", "1", `"`}), 0, 3, rapid.ID).Draw(t, "keys")
			values := make([]value.Value, len(keys))
			for i := range keys {
				values[i] = inner.Draw(t, "value")
			}
			return value.NewObject(keys, values)
		}),
	)
}

// sorted returns JSON of a value with sorted keys: equal values have equal ones, others do not.
func sorted(t interface{ Fatal(args ...any) }, v value.Value) string {
	src, err := value.Encode(value.Plain(v)) // a map, which is written in the order of its keys
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// F30: the answer to a call is that to its own arguments.
func TestF30ArgumentsNeverMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := New().Of(&servers{})
		for _, args := range rapid.SliceOfN(anyJSON(3), 1, 20).Draw(t, "arguments") {
			own := sorted(t, args)
			got, _, err := c.Answer(context.Background(), execution.Call{Server: "s", Tool: "t", Args: args}, time.Hour,
				func() (value.Value, error) { return own, nil })
			if err != nil || got != own {
				t.Fatalf("the answer to %s is that to %v: %v", own, got, err)
			}
		}
	})
}

// F30: 512 equal calls at once, of which the first is cancelled: one call, and one made anew for all
// others.
func TestF30FirstOf512IsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		c, of := s.Of(&servers{}), call(t, "s", "t", `{"a":1}`)
		ctx, cancel := context.WithCancelCause(t.Context())
		var calls, cached, made atomic.Int64
		var all sync.WaitGroup
		left := errors.New("the client has left")
		all.Go(func() {
			_, _, err := c.Answer(ctx, of, time.Hour, func() (value.Value, error) {
				calls.Add(1)
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
			if !errors.Is(err, left) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		for range 511 {
			all.Go(func() {
				v, again, err := c.Answer(t.Context(), of, time.Hour, func() (value.Value, error) {
					calls.Add(1)
					time.Sleep(time.Second)
					return "answer", nil
				})
				if err != nil || v != "answer" {
					t.Errorf("%v: %v", v, err)
				}
				if again {
					cached.Add(1)
				} else {
					made.Add(1)
				}
			})
		}
		synctest.Wait()
		cancel(left)
		all.Wait()
		if calls.Load() != 2 || made.Load() != 1 || cached.Load() != 510 {
			t.Errorf("%d calls; %d made it and %d got the answer of another, want 2, 1 and 510", calls.Load(), made.Load(), cached.Load())
		}
		if len(s.flights) != 0 {
			t.Errorf("%d flights are left", len(s.flights))
		}
	})
}

// Calls that wait for one that fails do not wait for each other: each is made once, at the same time.
func TestF30ServerFailsFor512(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, of := New().Of(&servers{}), call(t, "s", "t", `{}`)
		var calls atomic.Int64
		var all sync.WaitGroup
		begun := time.Now()
		for range 512 {
			all.Go(func() {
				_, cached, err := c.Answer(t.Context(), of, time.Hour, func() (value.Value, error) {
					calls.Add(1)
					time.Sleep(time.Minute)
					return nil, errors.New("busy")
				})
				if cached || err == nil || err.Error() != "busy" {
					t.Errorf("%v, %v", cached, err)
				}
			})
		}
		all.Wait()
		if calls.Load() != 512 || time.Since(begun) != 2*time.Minute {
			t.Errorf("%d calls in %s, want 512 in 2m0s", calls.Load(), time.Since(begun))
		}
		wants(t, ask(t, c, of, time.Hour, new(counter).send), "1") // no error was kept
	})
}

// A call whose run ends does not wait any longer; the call for which it waited goes on.
func TestWaitEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, of := New().Of(&servers{}), call(t, "s", "t", `{}`)
		go ask(t, c, of, time.Hour, func() (value.Value, error) {
			time.Sleep(time.Hour)
			return "late", nil
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the time limit"))
		defer cancel()
		_, _, err := c.Answer(ctx, of, time.Hour, new(counter).send)
		if err == nil || err.Error() != "the time limit" {
			t.Errorf("%v", err)
		}
		wants(t, ask(t, c, of, time.Hour, new(counter).send), "late*")
	})
}

// A panic of one call leaves no other waiting.
func TestPanicEndsItsFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, of := New().Of(&servers{}), call(t, "s", "t", `{}`)
		go func() {
			defer func() { _ = recover() }()
			_, _, _ = c.Answer(t.Context(), of, time.Hour, func() (value.Value, error) {
				time.Sleep(time.Second)
				panic("a bug")
			})
		}()
		synctest.Wait()
		wants(t, ask(t, c, of, time.Hour, new(counter).send), "1")
	})
}

// Another definition of a tool empties what the tool has; that of a server is its own.
func TestDefinitionChanges(t *testing.T) {
	p := &servers{}
	var server counter
	c, of := New().Of(p), call(t, "s", "t", `{}`)
	first := func() (value.Value, error) { // the server lists its tools before its first call
		p.change("one")
		return server.send()
	}
	wants(t, ask(t, c, of, time.Hour, first), "1")
	wants(t, ask(t, c, of, time.Hour, server.send), "1*")
	p.change("two")
	wants(t, ask(t, c, of, time.Hour, server.send), "2")
	wants(t, ask(t, c, of, time.Hour, server.send), "2*")
	during := func() (value.Value, error) {
		p.change("four")
		return server.send()
	}
	p.change("three")
	wants(t, ask(t, c, of, time.Hour, during), "3")
	wants(t, ask(t, c, of, time.Hour, server.send), "4") // the third was of an older definition
	p.change("")
	wants(t, ask(t, c, of, time.Hour, server.send), "5") // it is unknown which one it is
}

// The answers of a server belong to what it is, under whatever name, in whatever pool; a server
// without an identity has none.
func TestIdentity(t *testing.T) {
	s := New()
	var server counter
	of := call(t, "s", "t", `{}`)
	is := func(identity string) execution.Cache {
		return s.Of(&servers{identity: func(string) string { return identity }})
	}
	wants(t, ask(t, is("one"), of, time.Hour, server.send), "1")
	wants(t, ask(t, is("two"), of, time.Hour, server.send), "2")
	wants(t, ask(t, is("one"), call(t, "other", "t", `{}`), time.Hour, server.send), "1*")
	wants(t, ask(t, is(""), of, time.Hour, server.send), "3")
	wants(t, ask(t, is(""), of, time.Hour, server.send), "4")
}

// The store holds 64 MiB at most; what was used least recently is dropped first.
func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	s := New()
	if s.most != 64<<20 {
		t.Errorf("it holds %d bytes", s.most)
	}
	s.most = 64 << 10
	c := s.Of(&servers{})
	const size = 1 << 10
	var server counter
	large := func() (value.Value, error) { server.calls.Add(1); return strings.Repeat("x", size-2), nil }
	number := func(i int) execution.Call { return call(t, "s", "t", fmt.Sprintf(`{"n":%d}`, i)) }
	for i := range 51 {
		ask(t, c, number(i), time.Hour, large)
	}
	ask(t, c, number(0), time.Hour, large) // 1 is the oldest now
	ask(t, c, number(51), time.Hour, large)
	if n := server.calls.Load(); n != 52 || s.bytes != 51*(size+overhead) || len(s.answers) != s.recent.Len() {
		t.Errorf("%d calls, %d bytes in %d answers", n, s.bytes, len(s.answers))
	}
	for i, made := range []int64{0, 1, 0} { // 1 pushes 2 out, then it is there again
		before := server.calls.Load()
		ask(t, c, number([]int{0, 1, 1}[i]), time.Hour, large)
		if got := server.calls.Load() - before; got != made {
			t.Errorf("%d: %d calls, want %d", i, got, made)
		}
	}
	wants(t, ask(t, c, call(t, "s", "huge", `{}`), time.Hour, func() (value.Value, error) { return strings.Repeat("x", s.most), nil })[:1], "x")
	if len(s.answers) != 51 || s.recent.Len() != 51 || s.bytes != 51*(size+overhead) {
		t.Errorf("%d bytes in %d answers", s.bytes, len(s.answers))
	}
	for i := range 1000 { // small ones count, too
		ask(t, c, number(1000+i), time.Hour, func() (value.Value, error) { return nil, nil }) //nolint:nilnil // nothing
	}
	if most := s.most / overhead; len(s.answers) > most || s.bytes > s.most {
		t.Errorf("%d answers, at most %d", len(s.answers), most)
	}
}
