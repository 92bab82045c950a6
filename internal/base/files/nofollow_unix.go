//go:build unix

package files

import "syscall"

// NoFollow is a flag of os.OpenFile: opening a symbolic link fails, and opening a pipe that
// has no writer does not wait for one. Windows has no such flag, and there it is 0.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
