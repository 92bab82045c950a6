package mcpclient

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// Supervise is the whole life of the supervisor process, with the arguments after
// SuperviseCommand: it reads groups from stdin, and at its end terminates those that
// were not taken back. It returns the exit code. It prints nothing.
func Supervise(args []string) int {
	if len(args) != 0 {
		return 2
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	endGroups(readGroups(os.Stdin))
	return 0
}

// readGroups reads lines "+group" and "-group" until the end and returns what is left.
func readGroups(in io.Reader) []int {
	left := map[int]bool{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if len(line) < 2 {
			continue
		}
		group, err := strconv.Atoi(line[1:])
		if err != nil || group <= 1 {
			continue // 0 and 1 would mean ourselves and everybody
		}
		if line[0] == '+' {
			left[group] = true
		} else {
			delete(left, group)
		}
	}
	groups := make([]int, 0, len(left))
	for group := range left {
		groups = append(groups, group)
	}
	return groups
}
