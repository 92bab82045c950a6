package server

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("SERVER_TEST_GUARD") != "" {
		guarded()
		return
	}
	code := m.Run()
	if code == 0 {
		err := goleak.Find()
		for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = goleak.Find() {
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
