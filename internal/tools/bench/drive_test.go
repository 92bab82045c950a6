package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain plays a peer when it is asked to.
func TestMain(m *testing.M) {
	if mode := os.Getenv("BENCH_TEST_PEER"); mode != "" {
		play(mode)
		return
	}
	os.Exit(m.Run())
}

// play answers as an echo server that is wrong, fails, ends or repeats itself.
func play(mode string) {
	calls := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		id, rest, ok := strings.Cut(strings.TrimPrefix(lines.Text(), `{"jsonrpc":"2.0","id":`), ",")
		if !ok || strings.HasPrefix(id, "{") {
			continue // a notification
		}
		result := `"result":{}`
		if _, args, ok := strings.Cut(rest, `"arguments":`); ok {
			calls++
			result = `"result":{"structuredContent":` + strings.TrimSuffix(args, "}}") + `}`
			switch {
			case mode == "wrong" && calls%2 == 0:
				result = `"result":{"content":[{"text":"{\"msg\":\"other\"}"}]}`
			case mode == "fails":
				result = `"error":{"code":-32603,"message":"no ` + id + `"}`
			case mode == "ends" && calls == 9:
				os.Exit(1)
			case mode == "repeats":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, result)
			}
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, result)
	}
}

// talk lets a played peer answer calls: a dozen and more, or until it ends.
func talk(t *testing.T, mode string, inflight int) (tally, error) {
	t.Helper()
	t.Setenv("BENCH_TEST_PEER", mode)
	c, started, err := dial(t.Context(), []string{os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if started <= 0 {
		t.Error("the start took no time")
	}
	w := &workload{tool: "echo", call: message, inflight: inflight}
	span := time.Millisecond // however little is done in it, drive makes a call
	if mode == "ends" {
		span = time.Minute
	}
	var all tally
	for {
		more, err := c.drive(w, span)
		all.add(more)
		if err != nil || all.right+all.failed() > 12 {
			return all, err
		}
	}
}

func TestDrive(t *testing.T) {
	for _, inflight := range []int{1, 8} {
		for mode, kind := range map[string]string{
			"right": "", "wrong": `wrong answer: {"msg":"other"}`, "fails": "JSON-RPC error: no #",
		} {
			got, err := talk(t, mode, inflight)
			if err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			if got.faults[kind] != got.failed() || (kind == "") != (got.failed() == 0) {
				t.Errorf("%s, %d in flight: %v, want only %q", mode, inflight, got.faults, kind)
			}
			if (got.right == 0) != (mode == "fails") || got.took <= 0 {
				t.Errorf("%s, %d in flight: %d right in %v", mode, inflight, got.right, got.took)
			}
			if wanted := map[bool]int{true: got.right}[inflight == 1]; len(got.each) != wanted {
				t.Errorf("%s, %d in flight: %d latencies of %d", mode, inflight, len(got.each), wanted)
			}
		}
	}
}

func TestDriveTellsTheEnd(t *testing.T) {
	for inflight, faults := range map[int]int{1: 1, 4: 4} {
		got, err := talk(t, "ends", inflight)
		if err == nil || got.right != 8 || got.faults["the process ended"] != faults {
			t.Errorf("%d in flight: %v, %d right, %v", inflight, err, got.right, got.faults)
		}
	}
}

func TestDriveTellsAnswersToNoCall(t *testing.T) {
	got, _ := talk(t, "repeats", 4)
	if got.faults["an answer without a call"] == 0 {
		t.Errorf("an answer that came twice was not reported: %v", got.faults)
	}
}

func TestDialTellsWhatFailed(t *testing.T) {
	if _, _, err := dial(t.Context(), []string{"/no/such/program"}); err == nil {
		t.Error("a program that is not there was started")
	}
}

func TestFaultKind(t *testing.T) {
	long := strings.Repeat("é", 300)
	for message, want := range map[string]string{
		"run 123 failed at 4\nx": "run # failed at # x", long: long[:240] + "…",
	} {
		if got := faultKind(message); got != want {
			t.Errorf("%q became %q, want %q", message, got, want)
		}
	}
}
