package keychain

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// reachable returns ErrNone for a session without a bus. The library would start one, which would have no store and outlive
// this process.
func reachable() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err == nil {
		return nil
	}
	return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS is not set", ErrNone)
}
