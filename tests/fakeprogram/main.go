// Fakeprogram is a program for tests of servers of type exec: its first argument says what it
// does. It knows nothing of the project.
//
//	cat              copies its input to its output
//	args …           prints its further arguments as a JSON array
//	env NAME         prints a variable of its environment
//	text TEXT        prints TEXT and reads nothing
//	flood            writes to its output for ever
//	fail CODE        prints what it has so far, copies its input to standard error, and exits with CODE
//	binary           prints bytes that are no text
//	stubborn FILE    ignores SIGTERM, forks another that does, writes both process ids to FILE, and stays
//	leave FILE       forks one that stays, writes its process id to FILE, prints "left", and exits
//
// When $STARTS names a file, each start appends a line to it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if path := os.Getenv("STARTS"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = fmt.Fprintln(f, os.Getpid())
			_ = f.Close()
		}
	}
	what, rest := os.Args[1], os.Args[2:]
	switch what {
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "args":
		_ = json.NewEncoder(os.Stdout).Encode(rest)
	case "env":
		fmt.Print(os.Getenv(rest[0]))
	case "text":
		fmt.Print(rest[0])
	case "flood":
		block := []byte(strings.Repeat("x", 1<<16))
		for {
			if _, err := os.Stdout.Write(block); err != nil {
				os.Exit(1)
			}
		}
	case "fail":
		fmt.Print(`{"done":1}`)
		_, _ = io.Copy(os.Stderr, os.Stdin)
		code, _ := strconv.Atoi(rest[0])
		os.Exit(code)
	case "binary":
		_, _ = os.Stdout.Write([]byte{'a', 0xff, 0xfe})
	case "stubborn", "leave":
		stay(what == "stubborn", rest[0])
	case "stay":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "stays")
		time.Sleep(time.Hour)
	}
}

// stay forks a process that stays, and does so itself if it is stubborn.
func stay(stubborn bool, file string) {
	signal.Ignore(syscall.SIGTERM)
	self, _ := os.Executable()
	child := exec.CommandContext(context.Background(), self, "stay")
	child.Stdout = os.Stdout // held open, as careless programs do
	said, err := child.StderrPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		os.Exit(9)
	}
	_, _ = said.Read(make([]byte, 1)) // it ignores SIGTERM now
	pids := fmt.Sprintf("%d %d", child.Process.Pid, os.Getpid())
	if err := os.WriteFile(file+".new", []byte(pids), 0o600); err != nil {
		os.Exit(9)
	}
	_ = os.Rename(file+".new", file)
	if stubborn {
		time.Sleep(time.Hour)
	}
	fmt.Print("left")
}
