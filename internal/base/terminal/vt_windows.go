package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// prepare lets a console understand escape sequences, and reports whether it does.
func prepare(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return true // a terminal of another kind, such as that of an SSH server
	}
	const virtual = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&virtual != 0 || windows.SetConsoleMode(console, mode|virtual) == nil
}
