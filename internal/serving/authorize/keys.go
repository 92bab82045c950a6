package authorize

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	freshFor    = 15 * time.Minute // then keys are loaded again, while they are still used
	usableFor   = 24 * time.Hour   // how long keys are used while the issuer cannot be reached
	pause       = 30 * time.Second // between two attempts to load them, whatever tokens name
	loadTimeout = 10 * time.Second
)

// errNoKeys is a token that cannot be verified now. The log has the reason.
var errNoKeys = errors.New("the keys of the issuer cannot be loaded")

// keys are the public keys of the issuer. Safe for concurrent use.
type keys struct {
	load func(context.Context) ([]jose.JSONWebKey, error)
	log  *slog.Logger

	mu      sync.Mutex // guards what follows
	known   []jose.JSONWebKey
	loaded  time.Time     // when known was loaded; zero: never
	tried   time.Time     // when the last attempt ended
	loading chan struct{} // closed at the end of the attempt that is under way; nil: none
}

// begin begins to load the keys.
func (k *keys) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.attempt()
}

// find returns the keys that can have made a signature: those of the name that the token gives,
// and all if it gives none. A name that is unknown can be that of a new key, so the keys are loaded
// again, unless they just were.
func (k *keys) find(ctx context.Context, id, algorithm string) ([]jose.JSONWebKey, error) {
	found, usable, attempt := k.look(id, algorithm)
	if len(found) == 0 && attempt != nil {
		select {
		case <-attempt:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		found, usable, _ = k.look(id, algorithm)
	}
	switch {
	case len(found) > 0:
		return found, nil
	case usable:
		return nil, refused("the token is signed with a key that the issuer does not publish")
	}
	return nil, errNoKeys
}

// look returns the keys of a name, whether there are keys at all, and the attempt to load keys that
// is under way or that it begins; nil if none is due.
func (k *keys) look(id, algorithm string) (found []jose.JSONWebKey, usable bool, attempt <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := time.Since(k.loaded)
	if usable = age < usableFor; usable {
		for i := range k.known {
			key := &k.known[i]
			if (id == "" || id == key.KeyID) && (key.Algorithm == "" || key.Algorithm == algorithm) {
				found = append(found, *key)
			}
		}
	}
	if k.loading == nil && (age >= freshFor || len(found) == 0) && time.Since(k.tried) >= pause {
		k.attempt()
	}
	return found, usable, k.loading
}

// attempt loads the keys in a goroutine of its own; mu is held. On an error the keys stay.
func (k *keys) attempt() {
	done := make(chan struct{})
	k.loading = done
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
		defer cancel()
		fresh, err := k.load(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.tried, k.loading = time.Now(), nil
		if err == nil {
			k.known, k.loaded = fresh, k.tried
		} else {
			k.log.Warn("the keys of the issuer cannot be loaded; tokens are verified with those that are known", "error", err, "known", len(k.known), "next_attempt_in", pause)
		}
		close(done)
	}()
}
