//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// ctrlCIsKey makes Ctrl-C at the terminal a key and no signal: liner does so only after it has shown its prompt.
func ctrlCIsKey() error {
	mode, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), getMode)
	if err != nil {
		return err
	}
	mode.Lflag &^= unix.ISIG
	return unix.IoctlSetTermios(int(os.Stdin.Fd()), setMode, mode)
}
