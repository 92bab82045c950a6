//go:build unix

package mcpclient

import "os/exec"

// supervisorScript is what the supervisor does: it reads lines "+ group" and
// "- group", and at their end waits a moment (the servers' stdin has ended with us, so
// that most are gone within it), sends SIGTERM to the groups that still live, waits
// again, and sends SIGKILL.
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

// supervisorCommand is the supervisor. A shell is a tenth of the memory that our own
// executable would take once more.
func supervisorCommand() *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", supervisorScript, "toolgraph-supervisor") //nolint:noctx // it must outlive every context
	cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
	cmd.SysProcAttr = ownGroup() // a terminal's Ctrl-C is not for it
	return cmd
}
