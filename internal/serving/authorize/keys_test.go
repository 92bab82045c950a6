package authorize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// issuer publishes keys, and counts how often they are loaded.
type issuer struct {
	loads atomic.Int64
	takes time.Duration

	mu   sync.Mutex // guards what follows
	keys []jose.JSONWebKey
	err  error
}

func (i *issuer) load(ctx context.Context) ([]jose.JSONWebKey, error) {
	i.loads.Add(1)
	select {
	case <-time.After(i.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys, i.err
}

func (i *issuer) set(err error, keys ...jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys, i.err = keys, err
}

// keysOf returns the keys of an issuer in a bubble of time.
func keysOf(i *issuer) *keys {
	time.Sleep(time.Hour) // some time after the zero time of the attempts
	return &keys{load: i.load, log: slog.New(slog.DiscardHandler)}
}

func (k *keys) has(t *testing.T, id string) error {
	t.Helper()
	_, err := k.find(t.Context(), id, "RS256")
	return err
}

// A new key is found by the first token that it signs, and a removed one is not used any more.
func TestRotatedKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		i.set(nil, public("old", rsaKey.Public()))
		k := keysOf(i)
		if err := k.has(t, "old"); err != nil {
			t.Fatal(err)
		}
		i.set(nil, public("new", rsaKey.Public()))
		time.Sleep(pause)
		if err := k.has(t, "new"); err != nil {
			t.Error(err)
		}
		if err := k.has(t, "old"); err == nil {
			t.Error("a removed key is used")
		}
		if n := i.loads.Load(); n != 2 {
			t.Errorf("the keys were loaded %d times", n)
		}
	})
}

// Tokens with invented kids cause one load in each pause, however many arrive, and the keys that
// are known are found meanwhile.
func TestInventedKids(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{takes: 5 * time.Second}
		i.set(nil, public("r", rsaKey.Public()))
		k := keysOf(i)
		_ = k.has(t, "r")
		start, before := time.Now(), i.loads.Load()
		for minute := range 10 {
			var all sync.WaitGroup
			for n := range 100 {
				all.Go(func() {
					if k.has(t, fmt.Sprintf("%d-%d", minute, n)) == nil {
						t.Error("an invented kid has a key")
					}
				})
			}
			synctest.Wait()
			at := time.Now()
			if err := k.has(t, "r"); err != nil || time.Since(at) > 0 {
				t.Errorf("a known key was found after %v: %v", time.Since(at), err)
			}
			all.Wait()
			time.Sleep(time.Minute)
		}
		if most, n := int64(time.Since(start)/pause), i.loads.Load()-before; n > most || n == 0 {
			t.Errorf("the keys were loaded %d times in %v, want at most %d", n, time.Since(start), most)
		}
	})
}

// While the issuer cannot be reached, the last keys are used for a limited time.
func TestIssuerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		i.set(nil, public("r", rsaKey.Public()))
		k := keysOf(i)
		_ = k.has(t, "r")
		i.set(errors.New("down"))
		time.Sleep(usableFor - time.Second)
		if err := k.has(t, "r"); err != nil {
			t.Error(err)
		}
		time.Sleep(pause)
		if err := k.has(t, "r"); !errors.Is(err, errNoKeys) {
			t.Errorf("keys of yesterday: %v", err)
		}
		i.set(nil, public("r", rsaKey.Public()))
		time.Sleep(pause)
		if err := k.has(t, "r"); err != nil {
			t.Errorf("the issuer is up again: %v", err)
		}
	})
}

// An issuer that is down from the start is asked once in each pause, and the log says why.
func TestIssuerNeverUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		i := &issuer{}
		i.set(errors.New("connection refused"))
		k := keysOf(i)
		k.log = slog.New(slog.NewTextHandler(&log, nil))
		for range 100 {
			if err := k.has(t, "r"); !errors.Is(err, errNoKeys) {
				t.Fatal(err)
			}
		}
		if n := i.loads.Load(); n != 1 || !strings.Contains(log.String(), "connection refused") {
			t.Errorf("%d loads: %s", n, log.String())
		}
	})
}

// A load that hangs is given up, and a client that goes does not wait for it.
func TestSlowIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keysOf(&issuer{takes: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := k.find(ctx, "r", "RS256"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if err := k.has(t, "r"); !errors.Is(err, errNoKeys) || time.Since(start) != loadTimeout {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// Keys are loaded again before they are old, without a request that waits for it.
func TestKeysAreRefreshed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{takes: time.Second}
		i.set(nil, public("r", rsaKey.Public()))
		k := keysOf(i)
		_ = k.has(t, "r")
		i.set(nil, public("s", rsaKey.Public()))
		time.Sleep(freshFor)
		start := time.Now()
		if err := k.has(t, "r"); err != nil || time.Since(start) > 0 {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		time.Sleep(2 * time.Second)
		if err := k.has(t, "r"); err == nil {
			t.Error("the keys are not loaded again")
		}
	})
}
