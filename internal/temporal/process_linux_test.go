package temporal

import (
	"os/exec"
	"syscall"
)

// endWithTest ends a process when the test binary ends, however it does.
func endWithTest(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
