package server

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("SERVER_TEST_GUARD") != "" {
		guarded()
		return
	}
	goleak.VerifyTestMain(m)
}
