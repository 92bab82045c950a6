//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ownGroup makes a child the leader of a new process group. Pdeathsig is not used: it
// fires when the thread that forked ends, not the process.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(cmd *exec.Cmd, kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, sig) // an empty group is what we want
}

// sweepGroup ends what is left of a group whose leader is reaped. The group's id
// cannot have been given to others while anything of it lives.
func sweepGroup(pgid int) {
	if syscall.Kill(-pgid, syscall.SIGTERM) != nil {
		return
	}
	for deadline := time.Now().Add(sweepGrace); time.Now().Before(deadline); {
		if syscall.Kill(-pgid, 0) != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = syscall.Kill(-pgid, syscall.SIGKILL)
}

func statusOf(state *os.ProcessState) exitStatus {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exitStatus{code: 128 + int(ws.Signal()), signal: ws.Signal().String()}
	}
	return exitStatus{code: state.ExitCode()}
}
