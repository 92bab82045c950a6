//go:build unix

package tests

import (
	"encoding/json"
	"strconv"
	"testing"
)

// ended waits until the server whose pid a run has returned is gone.
func ended(t *testing.T, result string) {
	t.Helper()
	var value struct {
		PID json.Number `json:"pid"`
	}
	if err := json.Unmarshal([]byte(result), &value); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(value.PID.String())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the old server is gone", func() bool { return !lives(pid) })
}
