package server

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func (b *bench) waitStarted(t *testing.T, n int) {
	t.Helper()
	wait(t, b.started, n, "runs to start")
}

func wait(t *testing.T, from chan string, n int, what string) {
	t.Helper()
	for range n {
		select {
		case <-from:
		case <-time.After(patience):
			t.Fatalf("waited for %s", what)
		}
	}
}

func hold(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":"hold","arguments":{"tag":"%v"}}}`, id, id)
}

func cancelOf(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v,"reason":"test"}}`, id)
}

const (
	ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":"ping","result":{}}`
)

func TestM06SameIDInFlight(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	h.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"hold","arguments":{"tag":"1"}}}`)
	b.waitStarted(t, 1)
	// The same id, written otherwise, for any method.
	h.send(`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"any"}}`)
	h.want(`{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32600,"message":"a request with the id \"\\u0061\" is still in flight"}}`)
	h.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	h.want(`{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"a request with the id \"a\" is still in flight"}}`)
	close(b.release)
	h.want(`{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"\"1\""}]}}`)
	// Once answered, it is free; 1 and "1" are two ids.
	h.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	h.want(`{"jsonrpc":"2.0","id":"a","result":{}}`)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestM07Cancel(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	h.send(hold(1))
	b.waitStarted(t, 1)
	h.send(cancelOf(1))
	wait(t, b.stopped, 1, "the run to stop")
	h.send(cancelOf(99))       // unknown
	h.send(cancelOf(`"none"`)) // unknown
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	h.send(ping)
	h.want(pong)               // and nothing for 1
	h.send(cancelOf(`"ping"`)) // finished
	h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"any"}}`)
	h.want(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}`)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	if line, open := <-h.lines; open {
		t.Errorf("an answer after a cancel: %s", line)
	}
}

// A cancellation that follows its call at once is never lost.
func TestM07CancelAtOnce(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	const n = 200
	var burst []string
	for id := range n {
		burst = append(burst, hold(id), cancelOf(id))
	}
	h.send(strings.Join(burst, "\n"))
	h.send(ping)
	h.want(pong)
	if err := h.close(); err != nil { // returns only when all runs have ended
		t.Fatal(err)
	}
	if line, open := <-h.lines; open {
		t.Errorf("an answer after a cancel: %s", line)
	}
}

func TestM13ManyCallsInOneWrite(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	const n = 200
	var burst []string
	for id := range n {
		burst = append(burst, hold(id))
	}
	h.send(strings.Join(append(burst, ping), "\n"))
	h.want(pong) // before any of the calls has ended
	b.waitStarted(t, n)
	close(b.release)
	for range n {
		h.next()
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestG11Busy(t *testing.T) {
	const limit, extra = 1024, 76
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	for id := range limit {
		h.send(hold(id))
	}
	b.waitStarted(t, limit)
	for id := range extra {
		h.send(hold(limit + id))
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"busy: 1024 runs are in flight`, limit+id)
		if got := h.next(); !strings.HasPrefix(got, want) || !strings.Contains(got, `"isError":true`) {
			t.Fatalf("got %s", got)
		}
		h.send(ping)
		h.want(pong) // while all the others are in flight
	}
	close(b.release)
	for range limit {
		if got := h.next(); strings.Contains(got, "isError") {
			t.Fatalf("got %s", got)
		}
	}
	h.send(hold(1)) // there is room again
	h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"1\""}]}}`)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

// What a run observed comes in order and before its answer, under load too.
func TestProgressOrder(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	const calls, nodes = 20, 500
	for id := range calls {
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"walk","arguments":{"n":%d},"_meta":{"progressToken":"t%d"}}}`, id, nodes, id))
	}
	seen := make([]int, calls)
	for answers := 0; answers < calls; {
		line := h.next()
		var id, step int
		if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t%d","progress":%d,"message":"node"}}`, &id, &step); err == nil {
			if seen[id]++; seen[id] != step {
				t.Fatalf("call %d: step %d came as number %d", id, step, seen[id])
			}
			continue
		}
		if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d,`, &id); err != nil {
			t.Fatalf("got %s", line)
		}
		if answers++; seen[id] != nodes {
			t.Fatalf("call %d was answered after %d of %d steps", id, seen[id], nodes)
		}
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

// Nothing is sent that was not asked for.
func TestM17NothingUnasked(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	for _, meta := range []string{``, `,"_meta":{}`, `,"_meta":{"progressToken":null}`, `,"_meta":{"progressToken":{}}`, `,"_meta":{"progressToken":1.5}`} {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"walk","arguments":{"n":3}` + meta + `}}`)
		h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}]}}`)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}
