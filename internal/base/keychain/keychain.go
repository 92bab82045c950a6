// Package keychain reads and writes secrets of the user in the secret store of the system: the Keychain of macOS, the
// Credential Manager of Windows, the Secret Service of a desktop on Linux or BSD. It is the importer of go-keyring.
//
// Its calls can take long: the system may ask the user to unlock the store, and waits. A caller that cannot wait gives up and
// leaves the call alone.
package keychain

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// ErrNone is the error of a system, or a session of it, without a secret store.
var ErrNone = errors.New("this session has no secret store")

// Store is the part of the secret store that belongs to a program, which Service names. Safe for concurrent use.
type Store struct{ Service string }

// Get returns the secret with a name, or "" when there is none.
func (s Store) Get(name string) (secret string, err error) {
	if err := reachable(); err != nil {
		return "", err
	}
	secret, err = keyring.Get(s.Service, name)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	return secret, explained(err)
}

// Set stores a secret of at most 2,000 bytes under a name, in place of the one that was there.
func (s Store) Set(name, secret string) error {
	if err := reachable(); err != nil {
		return err
	}
	return explained(keyring.Set(s.Service, name, secret))
}

// explained says which store failed. The words of the libraries contain no secret.
func explained(err error) error {
	if err == nil || errors.Is(err, keyring.ErrUnsupportedPlatform) {
		if err != nil {
			err = ErrNone
		}
		return err
	}
	return fmt.Errorf("the secret store of the system: %w", err)
}
