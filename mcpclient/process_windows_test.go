package mcpclient

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"toolgraph/config"
)

// victimCommand makes the test binary one of three processes, see beVictim.
const victimCommand = "__victim"

// beVictim is a process to be killed: "grandparent" starts "parent" as a server is started, which
// starts "child" without further ado, which waits. Each prints the id of the child.
func beVictim(role string) {
	switch role {
	case "grandparent":
		parent := startVictim("parent")
		_, _ = io.Copy(os.Stdout, parent.stdout)
	case "parent":
		child := exec.Command(os.Args[0], victimCommand, "child")
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Println(child.Process.Pid)
	}
	time.Sleep(time.Hour)
}

func startVictim(role string) *process {
	cmd, err := commandOf(&config.Upstream{Command: text(os.Args[0]), Args: []config.Text{text(victimCommand), text(role)}}, selfCommand{})
	if err != nil {
		panic(err)
	}
	p, err := startProcess(cmd, newSupervisor(), systemClock(), nil)
	if err != nil {
		panic(err)
	}
	return p
}

// child returns the process whose id a victim prints.
func child(t *testing.T, out io.Reader) windows.Handle {
	t.Helper()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.ParseUint(strings.TrimSpace(line), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = windows.CloseHandle(handle) })
	if event, err := windows.WaitForSingleObject(handle, 0); event != uint32(windows.WAIT_TIMEOUT) {
		t.Fatalf("the child does not live: %d, %v", event, err)
	}
	return handle
}

func wantEnded(t *testing.T, handle windows.Handle) {
	t.Helper()
	if event, err := windows.WaitForSingleObject(handle, uint32(patience.Milliseconds())); event != windows.WAIT_OBJECT_0 {
		t.Errorf("the child lives: %d, %v", event, err)
	}
}

// The end of a server ends its descendants.
func TestJobEndsWithItsServer(t *testing.T) {
	p := startVictim("parent")
	descendant := child(t, p.stdout)
	p.end(true)
	wantEnded(t, descendant)
	p.group.signal(true) // does nothing: the job is released
	closeAll(p.stdout)
}

// A descendant that its parent leaves behind ends with the group.
func TestJobEndsWhatItsServerLeaves(t *testing.T) {
	p := startVictim("parent")
	descendant := child(t, p.stdout)
	_ = p.cmd.Process.Kill()
	<-p.gone
	wantEnded(t, descendant)
	closeAll(p.stdout)
}

// When this process is killed, its servers and their descendants end.
func TestJobEndsWithThisProcess(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], victimCommand, "grandparent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	descendant := child(t, out)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	wantEnded(t, descendant)
}
