package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"toolgraph/mcpclient"
)

// selfOption lets the command of a server be toolgraph wherever this program is installed.
func selfOption() []mcpclient.Option {
	self, err := os.Executable()
	if err == nil && isOther.Load() {
		self, err = beside(self)
	}
	if err != nil {
		return nil
	}
	return []mcpclient.Option{mcpclient.WithSelf("toolgraph", self)}
}

// isOther is set by MainOf: the executable of the process is not toolgraph.
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
