//go:build unix

package mcpclient

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleeper is a process in a group of its own that ends only by a signal; stubborn, only
// by SIGKILL.
func sleeper(t *testing.T, stubborn bool) (group int, ended chan struct{}) {
	t.Helper()
	script := "sleep 60 & wait"
	if stubborn {
		script = "trap '' TERM; sleep 60 & wait; sleep 60"
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan struct{})
	go func() {
		_ = cmd.Wait() // it ends by a signal
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already when all is well
		<-ended
	})
	return cmd.Process.Pid, ended
}

// The supervisor ends the groups that it was told of and that were not taken back,
// with their descendants, and no others.
func TestSupervisorScript(t *testing.T) {
	plain, plainEnded := sleeper(t, false)
	stubborn, stubbornEnded := sleeper(t, true)
	forgotten, forgottenEnded := sleeper(t, false)
	time.Sleep(100 * time.Millisecond) // for the trap to be set
	cmd := supervisorCommand()
	cmd.Stdin = strings.NewReader(fmt.Sprintf("+ %d\n+ %d\n+ %d\n- %d\nnoise\n\n", plain, forgotten, stubborn, forgotten))
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("the supervisor ended with %v: %s", err, out)
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	for name, ended := range map[string]chan struct{}{"plain": plainEnded, "stubborn": stubbornEnded} {
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Errorf("the %s group was not ended", name)
		}
	}
	select {
	case <-forgottenEnded:
		t.Error("a group that was taken back was ended")
	default:
	}
}
