package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

// Lines of all lengths come back whole, whatever the length of the line before.
func TestLinesOfAllLengths(t *testing.T) {
	lengths := []int{0, 1, readBuffer - 1, readBuffer, readBuffer + 1, longLine - 1, longLine, longLine + 1, 3*longLine + 5, 9 * longLine, 2 * longLine, 9*longLine + 9, 100, 20 * longLine, longLine + 7}
	var all bytes.Buffer
	for i, n := range lengths {
		all.WriteString(strings.Repeat(string(rune('a'+i)), n) + "\n")
	}
	all.WriteString("the last one") // which has no newline
	in, usual := bufio.NewReaderSize(&all, readBuffer), 0
	for i, n := range lengths {
		line, err := readLine(in, 20*longLine, &usual)
		if err != nil || len(line) != n || strings.Trim(string(line), string(rune('a'+i))) != "" {
			t.Fatalf("line %d: %d bytes, %v, want %d", i, len(line), err, n)
		}
		if cap(line) > 2*n+1024 && n > longLine {
			t.Errorf("line %d of %d bytes has %d in memory", i, n, cap(line))
		}
	}
	if line, err := readLine(in, 100, &usual); err != nil || string(line) != "the last one" {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := readLine(in, 100, &usual); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// A line over the limit fails before it is in memory, whatever the length of the one before.
func TestLinesOverTheLimit(t *testing.T) {
	for _, before := range []int{0, 2 * longLine, 30 * longLine} {
		for limit, fits := range map[int]bool{3 * longLine: true, 3*longLine - 1: false} {
			usual := before
			line, err := readLine(bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 3*longLine)+"\n"), readBuffer), limit, &usual)
			if fits != (err == nil) || fits && len(line) != 3*longLine || !fits && !errors.Is(err, errLineTooLong) {
				t.Errorf("limit %d: %d bytes, %v", limit, len(line), err)
			}
		}
	}
}

// The first long line is copied once, and another of that length hardly.
func TestLongLinesAreNotCopied(t *testing.T) {
	if testing.Short() {
		t.Skip("bytes are counted, and the race detector's runs, which are short, allocate more")
	}
	text := strings.Repeat("x", 10*longLine) + "\n"
	usual := 0
	read := func() {
		if line, err := readLine(bufio.NewReaderSize(strings.NewReader(text), readBuffer), 20*longLine, &usual); err != nil || len(line) != 10*longLine {
			t.Errorf("%d bytes, %v", len(line), err)
		}
	}
	cost.Below(t, 24*longLine, func() { usual = 0; read() })
	cost.Below(t, 16*longLine, read)
}

// Garbage of the length of the line is collected before another long line is read.
func TestLongLinesMakeRoom(t *testing.T) {
	text, usual := strings.Repeat("x", 10*longLine)+"\n", 10*longLine
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readLine(bufio.NewReaderSize(strings.NewReader(text), readBuffer), 20*longLine, &usual); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if after.NumForcedGC == before.NumForcedGC { // text is as long as the garbage would be
		t.Error("nothing was collected")
	}
}

func TestWantsRoom(t *testing.T) {
	for _, c := range []struct {
		length     int
		heap, live uint64
		want       bool
	}{
		{10, 10, 3, true}, {10, 40, 40, true}, {10, 9, 3, false}, // there is no such garbage
		{10, 41, 3, false}, {10, 40, 41, false}, // a collection takes longer than reading the line
	} {
		if got := wantsRoom(c.length, c.heap, c.live); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
