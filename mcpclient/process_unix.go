//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is a process group: a child, its leader, and the descendants that do not leave it.
type group struct{ id int }

// startGroup starts a child in a group of its own.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{cmd.Process.Pid}, nil
}

// ownGroup makes a child the leader of a new process group. Pdeathsig is not used: it
// fires when the thread that forked ends, not the process.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signal asks the group to end, or kills it.
func (g *group) signal(kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-g.id, sig) // it fails when the group is empty, as it should be
}

// sweep ends the rest of a group whose leader is reaped. The id cannot belong to another
// group while a process of this one lives.
func (g *group) sweep() {
	if syscall.Kill(-g.id, syscall.SIGTERM) != nil {
		return
	}
	for deadline := time.Now().Add(sweepGrace); time.Now().Before(deadline); {
		if syscall.Kill(-g.id, 0) != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = syscall.Kill(-g.id, syscall.SIGKILL)
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
