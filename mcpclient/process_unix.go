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
	_ = syscall.Kill(-cmd.Process.Pid, sig) // it fails when the group is empty, as it should be
}

// sweepGroup ends the rest of a group whose leader is reaped. The id cannot belong to
// another group while a process of this one lives.
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

// supervisorScript is the program of the supervisor: it reads lines "+ group" and
// "- group", and at their end waits a moment (the servers' stdin has ended with this
// process, so that most end within it), sends SIGTERM to the groups that still live,
// waits again, and sends SIGKILL.
const supervisorScript = `
trap '' HUP INT TERM
groups=
while read -r sign group; do
	left=
	for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done
	groups=$left
	[ "$sign" = + ] && groups="$groups $group"
done
gone() { # waits for up to $1 twentieths of a second
	n=$1
	while :; do
		left=
		for g in $groups; do kill -s 0 -- "-$g" 2>/dev/null && left="$left $g"; done
		groups=$left
		[ -z "$groups" ] || [ "$n" -le 0 ] && return
		n=$((n - 1))
		sleep 0.05
	done
}
gone 4
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
gone 8
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
`

// supervisorCommand returns the supervisor. A shell takes a tenth of the memory that this
// program's executable would take once more.
func supervisorCommand() *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", supervisorScript, "toolgraph-supervisor") //nolint:noctx // it must outlive every context
	cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
	cmd.SysProcAttr = ownGroup() // a terminal's Ctrl-C is not for it
	return cmd
}
