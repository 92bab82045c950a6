package main

import (
	"fmt"
	"strconv"
)

// call is one tools/call: the arguments and the value that it must give, both JSON.
type call struct {
	args string
	want string
}

// workload is what is measured of each peer in turn: a graph, the calls of its tool,
// and how many of them are in flight.
type workload struct {
	name     string
	graph    string
	tool     string
	call     func(i int64) call // the i-th call; its answer is no other call's
	inflight int                // one: latencies are shown, more: throughput
	steps    int                // of a loop: how many, else zero
	bare     bool               // the bare echo server can do it
	memory   bool               // the memory is shown
	children bool               // that of the upstream server as well
	straight bool               // a client can make the calls of the graph itself
}

func workloads() []*workload {
	var all []*workload
	for _, n := range []int{1, 8, 64, 512} {
		all = append(all, &workload{
			name: "entry→exit", graph: "echo", tool: "echo", call: message, inflight: n, bare: true, memory: n == 1 || n == 512,
		})
	}
	for _, n := range []int{1, 64} {
		all = append(all, &workload{name: "one transform", graph: "transform", tool: "price", call: price, inflight: n})
	}
	for _, steps := range []int{400, 800, 4000} {
		all = append(all, &workload{
			name: fmt.Sprintf("loop of %d steps", steps), graph: "loop", tool: "sum", call: sum(steps / 2), inflight: 1, steps: steps,
		})
	}
	all = append(all, &workload{name: "fifty switches", graph: "switches", tool: "pass", call: passed, inflight: 1})
	for _, n := range []int{1, 64} {
		all = append(all, &workload{name: "one mcp call", graph: "call", tool: "call", call: message, inflight: n, memory: n > 1, children: true})
	}
	for _, n := range []int{1, 64} {
		all = append(all, &workload{name: "ten mcp calls", graph: "chain", tool: "chain", call: chained, inflight: n, straight: true})
	}
	return append(all, &workload{
		name: "10 MB result filtered", graph: "filter", tool: "filter", call: filtered(bigItems), inflight: 1, memory: true, children: true,
	})
}

// title is the workload's name in the table.
func (w *workload) title() string {
	if w.inflight == 1 {
		return w.name
	}
	return fmt.Sprintf("%s, %d in flight", w.name, w.inflight)
}

// bigItems is how many items of the upstream server make 10 MB, which is less than
// the 10 MiB that mcpgraph's client library takes in one line.
const bigItems = 92_500

func message(i int64) call {
	object := `{"msg":"message ` + strconv.FormatInt(i, 10) + `"}`
	return call{object, object}
}

func price(i int64) call {
	return call{
		fmt.Sprintf(`{"name":"n%d","k":%d}`, i, i+11),
		fmt.Sprintf(`{"greeting":"hello n%d","total":%d,"big":"yes"}`, i, i+41),
	}
}

func sum(n int) func(int64) call {
	return func(i int64) call {
		return call{fmt.Sprintf(`{"n":%d,"k":%d}`, n, i), fmt.Sprintf(`{"sum":%d,"k":%d}`, n*(n+1)/2, i)}
	}
}

func passed(i int64) call {
	return call{fmt.Sprintf(`{"n":%d,"kind":"none"}`, i+100), fmt.Sprintf(`{"passed":%d}`, i+100)}
}

// chainLength is how many calls the graph chain makes, one after the other.
const chainLength = 10

func chained(i int64) call {
	return call{fmt.Sprintf(`{"n":%d}`, i), fmt.Sprintf(`{"n":%d}`, i+chainLength)}
}

func filtered(n int) func(int64) call {
	count, total := 0, 0
	for i := range n {
		if v := i * 7919 % 1000; v > 500 && i%16 == 3 {
			count++
			total += v
		}
	}
	return func(i int64) call {
		return call{fmt.Sprintf(`{"n":%d,"k":%d}`, n, i), fmt.Sprintf(`{"count":%d,"sum":%d,"k":%d}`, count, total, i)}
	}
}
