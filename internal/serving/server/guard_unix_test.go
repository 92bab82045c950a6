//go:build unix

package server

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// guarded is the program that TestM15StrayOutput starts.
func guarded() {
	out, err := GuardStdout()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("stray: fmt")
	println("stray: println")
	if _, err := unix.Write(1, []byte("stray: descriptor 1\n")); err != nil {
		log.Fatal(err)
	}
	child := exec.Command("sh", "-c", "echo stray: child; echo leak >&3")
	child.Stdout = os.Stdout
	_ = child.Run() // its descriptor 3 is closed, so it fails
	fmt.Fprintln(out, "protocol")
}

func TestM15StrayOutput(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SERVER_TEST_GUARD=1")
	var out, stray bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stray
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stray.String())
	}
	if out.String() != "protocol\n" {
		t.Errorf("standard output has %q", out.String())
	}
	for _, want := range []string{"stray: fmt", "stray: println", "stray: descriptor 1", "stray: child"} {
		if !bytes.Contains(stray.Bytes(), []byte(want)) {
			t.Errorf("standard error lacks %q: %s", want, stray.String())
		}
	}
}
