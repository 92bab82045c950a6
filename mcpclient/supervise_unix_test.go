//go:build unix

package mcpclient

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// sleeper is a process in a group of its own that ends only by a signal; stubborn, only
// by SIGKILL. ended gives the signal.
func sleeper(t *testing.T, stubborn bool) (group int, ended chan syscall.Signal) {
	t.Helper()
	script := "echo ready; sleep 3600 & wait"
	if stubborn {
		script = "trap '' TERM; echo ready; sleep 3600 & wait; sleep 3600"
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.SysProcAttr = ownGroup()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ended = make(chan syscall.Signal, 1)
	reaped := make(chan struct{})
	go func() {
		defer close(reaped)
		_ = cmd.Wait() // it ends by a signal
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			ended <- status.Signal()
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already when all is well
		<-reaped
	})
	return cmd.Process.Pid, ended
}

// The supervisor ends the groups that were added and not removed, with their
// descendants, and no others.
func TestSupervisorScript(t *testing.T) {
	plain, plainEnded := sleeper(t, false)
	stubborn, stubbornEnded := sleeper(t, true)
	forgotten, forgottenEnded := sleeper(t, false)
	cmd := supervisorCommand()
	cmd.Stdin = strings.NewReader(fmt.Sprintf("+ %d\n+ %d\n+ %d\n- %d\nnoise\n\n", plain, forgotten, stubborn, forgotten))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("the supervisor ended with %v: %s", err, out)
	}
	receive(t, plainEnded, "the end of the plain group")
	if by := receive(t, stubbornEnded, "the end of the stubborn group"); by != syscall.SIGKILL {
		t.Errorf("the stubborn group was ended by %v", by)
	}
	select {
	case <-forgottenEnded:
		t.Error("a group that was removed was ended")
	default:
	}
}
