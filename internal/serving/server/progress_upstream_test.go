package server

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressOfUpstream(t *testing.T) {
	reports := [][2]float64{
		{25, 100},
		{50, 100},
		{40, 100},
		{-7, 100},
		{7, 0},
		{8, -1},
		{math.NaN(), 1},
		{1, math.NaN()},
		{math.Inf(1), math.Inf(1)},
		{100, 100},
		{1e308, 1e-308},
		{math.MaxFloat64, 1},
		{1, math.MaxFloat64},
		{99, 100},
	}
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(_ context.Context, w Watch) {
			for loop := range 3 {
				w.Step("entry", 2*loop)
				w.Call("fetch")
				for i, r := range reports {
					w.Progress(r[0], r[1], fmt.Sprintf("page %d", i))
					time.Sleep(time.Second)
				}
				w.Step("fetch", 2*loop+1)
				w.Step("fetch", 2*loop+1) // what cannot be grows all the same
			}
		})
		h := connect(t, b.server).handshake()
		h.send(callDo)
		var lines []string
		for len(lines) == 0 || lines[len(lines)-1] != doDone {
			lines = append(lines, h.next())
		}
		n := readNews(t, lines)
		for loop := range 3 {
			first := loop * (len(n.Progress) / 3)
			base := n.Progress[first]
			if base != float64(2*loop+1) || n.Message[first] != "entry" {
				t.Fatalf("the steps are not at their places: %v %q", n.Progress, n.Message)
			}
			if p := n.Progress[first+1]; p < base+0.25 || p > base+0.26 || n.Message[first+1] != "fetch: page 0" {
				t.Errorf("a quarter of the step is %v, %q", p, n.Message[first+1])
			}
			if p := n.Progress[first+2]; p < base+0.5 || p > base+0.51 {
				t.Errorf("a half of the step is %v", p)
			}
		}
		if len(n.Progress) < 3*(len(reports)+3) {
			t.Errorf("%d notifications", len(n.Progress))
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestProgressFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(_ context.Context, w Watch) {
			for range 100 {
				for range 1000 {
					w.Progress(1, 0, "again")
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
		h := connect(t, b.server).handshake()
		h.send(callDo)
		time.Sleep(heartbeat)
		if n := readNews(t, h.have()); len(n.Progress) < 3 || len(n.Progress) > 5 || len(n.other) != 1 {
			t.Errorf("%d notifications of 100,000 reports in a second, %q", len(n.Progress), n.other)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}
