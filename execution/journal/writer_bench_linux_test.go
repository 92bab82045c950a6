package journal

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// BenchmarkWriter is the CPU of the writer for runs of three steps, as many in a batch as there are
// with little load and with much. The goal is 25 µs a run with much.
func BenchmarkWriter(b *testing.B) {
	for _, runs := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprintf("%d runs in a batch", runs), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			c, err := newCommitter(s)
			if err != nil {
				b.Fatal(err)
			}
			v := &view{store: s, about: About{File: "/home/user/project/graph.yaml", Server: "demo"}}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var used time.Duration
			for n := 0; n < b.N; n += runs {
				batch := make([]queued, 0, 5*runs)
				for i := range runs {
					for _, e := range threeSteps(fmt.Sprintf("RUN%022d", n+i)) {
						batch = append(batch, newQueued(v, e))
					}
				}
				began := cpuOfThread()
				if err := c.commit(batch); err != nil {
					b.Fatal(err)
				}
				used += cpuOfThread() - began
			}
			b.ReportMetric(float64(used.Nanoseconds())/1000/float64((b.N+runs-1)/runs*runs), "cpu-µs/run")
		})
	}
}

func threeSteps(id string) []execution.Event {
	at := time.Now()
	args := value.NewObject([]string{"msg"}, []value.Value{"message of " + id})
	output := value.NewObject([]string{"text", "n"}, []value.Value{"the output of " + id, 17.0})
	step := func(i int, node string, kind config.NodeType, v value.Value) execution.Event {
		start := at.Add(time.Duration(i) * 10 * time.Microsecond)
		r := &execution.Record{Index: i, NodeID: node, NodeType: kind, Start: start, End: start.Add(7 * time.Microsecond), Output: v}
		return execution.Event{Kind: execution.StepFinished, Run: id, Time: r.End, Record: r}
	}
	used := &execution.Used{
		Calls: 2, BytesIn: 12345, BytesOut: 67, Servers: []execution.ServerUse{{Server: "files", Calls: 2, BytesIn: 12345}}, Chain: []string{"files.search", "files.read_text_file"},
	}
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{Tool: "tool", Graph: "0123456789abcdef", Args: args}},
		step(0, "entry", config.EntryNode, args), step(1, "make", config.TransformNode, output), step(2, "exit", config.ExitNode, output),
		{Kind: execution.RunFinished, Run: id, Time: at.Add(time.Millisecond), End: &execution.End{Value: output, Used: used}, Sync: true},
	}
}

// cpuOfThread is the time that this thread has used a processor for, its system calls included.
func cpuOfThread() time.Duration {
	var used syscall.Rusage
	const thread = 1
	if syscall.Getrusage(thread, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
