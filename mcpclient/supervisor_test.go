package mcpclient

import (
	"slices"
	"strings"
	"testing"
)

func TestReadGroups(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []int
	}{
		{"", []int{}},
		{"+100\n+200\n-100\n", []int{200}},
		{"+100\n+200", []int{100, 200}},
		{"+0\n+1\n+-5\n-7\n+x\n+\n\nnoise\n+300\n", []int{300}},
	} {
		got := readGroups(strings.NewReader(c.in))
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.in, got, c.want)
		}
	}
	if Supervise([]string{"unexpected"}) != 2 {
		t.Error("arguments are taken")
	}
}

// A supervisor that somebody killed is replaced at the next start, with the groups
// that live told again.
func TestSupervisorIsReplaced(t *testing.T) {
	p := pool(t, fake(t), supervised(t))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	p.keep.mu.Lock()
	first := p.keep.done
	_ = p.keep.pipe.Close() // as seen from there, we are dead: it ends the server too
	p.keep.mu.Unlock()
	<-first
	waitFor(t, "the server to be started again", func() bool {
		got, err := call(p, "inc", `{"n":1}`)
		return err == nil && got == "2"
	})
	p.keep.mu.Lock()
	defer p.keep.mu.Unlock()
	if p.keep.done == first || len(p.keep.groups) != 1 {
		t.Errorf("the supervisor was not replaced, or holds %v", p.keep.groups)
	}
}
