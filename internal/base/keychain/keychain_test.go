package keychain

import (
	"crypto/rand"
	"errors"
	"os"
	"runtime"
	"testing"
)

// Without a bus there is no store, and none is started.
func TestNoStore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems always have a store")
	}
	if _, err := os.Stat("/run/user"); err == nil && os.Getuid() != 0 {
		t.Skip("this user may have a bus")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	s := Store{Service: "toolgraph-test"}
	if _, err := s.Get("x"); !errors.Is(err, ErrNone) {
		t.Errorf("get: %v", err)
	}
	if err := s.Set("x", "y"); !errors.Is(err, ErrNone) {
		t.Errorf("set: %v", err)
	}
}

// The store of this system has what was stored. It is the user's own, so the test runs only when it is asked for.
func TestSystem(t *testing.T) {
	if os.Getenv("TOOLGRAPH_KEYCHAIN") != "1" {
		t.Skip("writes to the secret store of this user; set TOOLGRAPH_KEYCHAIN=1")
	}
	s, name := Store{Service: "toolgraph-test"}, rand.Text()
	if got, err := s.Get(name); got != "" || err != nil {
		t.Fatalf("before: %q, %v", got, err)
	}
	for _, secret := range []string{"first", "second"} {
		if err := s.Set(name, secret); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(name); got != secret || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	}
}
