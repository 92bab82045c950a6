//go:build !unix

package mcpclient

import "os/exec"

// supervisorCommand is nil: here the servers only see their input end with us.
func supervisorCommand() *exec.Cmd { return nil }
