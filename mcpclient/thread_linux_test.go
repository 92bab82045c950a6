package mcpclient

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onEndingThread runs f on a thread that ends with it, and returns when the thread is
// gone. The first thread of a process never ends, so f is not run there.
func onEndingThread(t *testing.T, f func()) {
	t.Helper()
	for {
		threads := make(chan int)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			id := syscall.Gettid()
			if id != os.Getpid() {
				f()
			}
			threads <- id
		}()
		if id := <-threads; id != os.Getpid() {
			waitFor(t, "the thread to end", func() bool {
				_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", id))
				return os.IsNotExist(err)
			})
			return
		} // the first thread is locked now, so the next is another
	}
}

// A signal that the system sends when a thread ends (Pdeathsig) must not be in use: Go
// ends threads while the process lives.
func TestP19ThreadEnds(t *testing.T) {
	cmd, err := commandOf(fake(t, "ignoreterm"), selfCommand{})
	if err != nil {
		t.Fatal(err)
	}
	keep := newSupervisor()
	var proc *process
	onEndingThread(t, func() { proc, err = startProcess(cmd, keep, systemClock(), nil) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		proc.group.signal(true) // gone already when all is well
		<-proc.gone
		closeAll(proc.stdout)
	}()
	// A killed process takes no more steps, so that an answer proves that it was spared.
	_ = proc.stdin.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(proc.stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatalf("the server ended with the thread that started it: %v", err)
	}
	_ = proc.stdout.SetReadDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(proc.stdout).ReadString('\n')
	if err != nil || !strings.Contains(line, `"result":{}`) {
		t.Fatalf("the server ended with the thread that started it: %q, %v", line, err)
	}
	// Neither did the supervisor, which the same thread has started: it does its work.
	keep.close()
	receive(t, proc.gone, "the supervisor to end the server")
}
