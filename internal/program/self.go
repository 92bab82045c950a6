package program

import (
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"toolgraph/mcpclient"
)

// self returns the path of toolgraph, wherever this program is installed; "" when it is looked for as any other.
func self() string {
	path, err := os.Executable()
	if err == nil && isOther.Load() {
		path, err = beside(path)
	}
	if err != nil {
		return ""
	}
	return path
}

// SelfOption lets the command of a server be that toolgraph.
func SelfOption() []mcpclient.Option {
	path := self()
	if path == "" {
		return nil
	}
	return []mcpclient.Option{mcpclient.WithSelf("toolgraph", path)}
}

// isOther is set by Execute: the executable of the process is not toolgraph.
var isOther atomic.Bool

// beside returns the toolgraph that is installed beside another program. Without one the command is
// looked for as any other.
func beside(program string) (string, error) {
	path := filepath.Join(filepath.Dir(program), "toolgraph")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	_, err := os.Stat(path)
	return path, err
}
