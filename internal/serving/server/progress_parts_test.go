package server

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// newsOf returns the notifications of a run that makes so many parts, each ending after a while.
func newsOf(t *testing.T, parts int, each time.Duration) (n news) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(_ context.Context, w Watch) {
			w.Step("entry", 0)
			for i := range parts {
				time.Sleep(each)
				w.Part("read", i+1, parts)
			}
			w.Step("read", 1)
		})
		h := connect(t, b.server).handshake()
		h.send(callDo)
		var lines []string
		for len(lines) == 0 || lines[len(lines)-1] != doDone {
			lines = append(lines, h.next())
		}
		n = readNews(t, lines)
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
	return n
}

// Each part is a notification, as long as they are no more than ten a second.
func TestProgressOfParts(t *testing.T) {
	const parts = 20
	n := newsOf(t, parts, 150*time.Millisecond)
	want := []string{"entry"}
	for i := range parts {
		want = append(want, fmt.Sprintf("read %d/%d", i+1, parts))
	}
	if want = append(want, "read"); !slices.Equal(n.Message, want) {
		t.Errorf("got %q", n.Message)
	}
	for i, p := range n.Progress[1 : parts+1] {
		if at := 1 + float64(i+1)/parts; p < at-0.002 || p > at+0.02 {
			t.Errorf("the progress after part %d is %v, want about %v", i+1, p, at)
		}
	}
	if last := n.Progress[parts+1]; last != 2 {
		t.Errorf("the progress after the step is %v, want 2", last)
	}
}

// More parts than that are ten notifications a second, and always the last part.
func TestProgressOfManyParts(t *testing.T) {
	const parts = 2000
	n := newsOf(t, parts, time.Millisecond)
	if most := 2*10 + 1 + 3; len(n.Message) > most || len(n.Message) < 20 {
		t.Errorf("%d notifications in 2 s, want 20 to %d", len(n.Message), most)
	}
	last := fmt.Sprintf("read %d/%d", parts, parts)
	if i := slices.Index(n.Message, last); i != len(n.Message)-2 {
		t.Errorf("the last part is notification %d of %d: %q", i, len(n.Message), n.Message)
	}
}

// Parts that end at once are one notification or two: the last is never left out.
func TestProgressOfPartsAtOnce(t *testing.T) {
	n := newsOf(t, 500, 0)
	if len(n.Message) > 4 || n.Message[len(n.Message)-2] != "read 500/500" {
		t.Errorf("got %q", n.Message)
	}
}

// While parts run, a report of a server says which part it is about, and a heartbeat says how
// many parts have ended.
func TestProgressWithinParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(_ context.Context, w Watch) {
			w.Step("entry", 0)
			w.Part("read", 3, 4)
			time.Sleep(time.Second)
			w.Progress(3.5, 4, "item 3: half")
			time.Sleep(time.Second)
			w.Progress(3.2, 4, "") // less than before
			time.Sleep(20 * time.Second)
			w.Part("read", 4, 4)
			w.Step("read", 1)
		})
		h := connect(t, b.server).handshake()
		h.send(callDo)
		var lines []string
		for len(lines) == 0 || lines[len(lines)-1] != doDone {
			lines = append(lines, h.next())
		}
		n := readNews(t, lines)
		want := []string{
			"entry", "read 3/4", "read 3/4: item 3: half", "read 3/4: item 3: half",
			"read 3/4: item 3: half", "read 3/4: item 3: half", "read 4/4", "read",
		}
		if !slices.Equal(n.Message, want) {
			t.Errorf("got %q", n.Message)
		}
		if p := n.Progress[2]; p < 1.874 || p > 1.88 {
			t.Errorf("three and a half of four parts are %v", p)
		}
		if grown := n.Progress[3] - n.Progress[2]; grown < 1e-5 {
			t.Errorf("after a report of less, the progress grows by %v", grown)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}
