package mcpclient

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Tokens of logins are files. Where the system has a secret store, they are encrypted with a key that only the store has: the files
// stay the place of which there is one lock for all processes, of any size, and a renewal needs no store.

// SecretStore is where the system keeps secrets of the user. Its calls may wait for the user. Safe for concurrent use.
type SecretStore interface {
	// Get returns the secret with a name, or "" when there is none.
	Get(name string) (secret string, err error)
	Set(name, secret string) error
}

const (
	keyName = "token key"
	keySize = 32 // bytes, for AES-256
	// keyPatience is how long the store may take, since no call may wait for a dialog that its user does not see.
	keyPatience = 10 * time.Second
)

// tokenKey is the key of the files, which is in the store. Safe for concurrent use.
type tokenKey struct {
	store    SecretStore // nil: it is not used
	required bool        // no token is stored without it
	patience time.Duration

	mu     sync.Mutex // guards what follows
	key    []byte
	flying *keyCall // that the store has not answered yet
}

// keyCall is a question to the store.
type keyCall struct {
	done chan struct{}
	key  []byte
	err  error
}

// errNoStore is the error of a process that does not use a store.
var errNoStore = errors.New("this process does not use the secret store of the system")

// get returns the key; with create, a new one when the store has none. A question that the store does not answer stays open, and the
// next one waits for it too.
func (k *tokenKey) get(ctx context.Context, create bool) ([]byte, error) {
	if k == nil || k.store == nil {
		return nil, errNoStore
	}
	k.mu.Lock()
	if k.key != nil {
		defer k.mu.Unlock()
		return k.key, nil
	}
	call := k.flying
	if call == nil {
		call = &keyCall{done: make(chan struct{})}
		k.flying = call
		go k.ask(call, create)
	}
	k.mu.Unlock()
	late := time.NewTimer(k.patience)
	defer late.Stop()
	select {
	case <-call.done:
		return call.key, call.err
	case <-late.C:
		return nil, fmt.Errorf("the secret store of the system has not answered within %v; unlock it", k.patience)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *tokenKey) ask(call *keyCall, create bool) {
	call.key, call.err = k.found(create)
	k.mu.Lock()
	k.key, k.flying = call.key, nil
	k.mu.Unlock()
	close(call.done)
}

// found reads the key. A new one is read back, so that no file is encrypted with a key that the store does not have.
func (k *tokenKey) found(create bool) ([]byte, error) {
	text, err := k.store.Get(keyName)
	if err == nil && text == "" && create {
		fresh := make([]byte, keySize)
		_, _ = rand.Read(fresh) // never fails
		if err = k.store.Set(keyName, base64.StdEncoding.EncodeToString(fresh)); err == nil {
			text, err = k.store.Get(keyName)
		}
	}
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != keySize {
		return nil, errors.New("the secret store of the system does not have the key")
	}
	return key, nil
}

// sealed is the form of a token file that is encrypted.
type sealed struct {
	Server string `json:"server"`
	Key    string `json:"key"`    // the beginning of its hash
	Sealed []byte `json:"sealed"` // nonce and ciphertext of the grant; the server's address is authenticated too
}

func keyMark(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:4])
}

func cipherOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal encrypts a grant.
func seal(key []byte, g *grant) (*sealed, error) {
	raw, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	by, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	return &sealed{Server: g.Server, Key: keyMark(key), Sealed: by.Seal(nil, nil, raw, []byte(g.Server))}, nil
}

// open decrypts a grant.
func (s *sealed) open(ctx context.Context, keys *tokenKey) (*grant, error) {
	key, err := keys.get(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("it is encrypted with a key that cannot be had: %w", err)
	}
	if keyMark(key) != s.Key {
		return nil, errors.New("it is encrypted with another key than the secret store of the system has; log in again")
	}
	by, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	raw, err := by.Open(nil, nil, s.Sealed, []byte(s.Server))
	g := &grant{sealed: true}
	if err != nil || json.Unmarshal(raw, g) != nil {
		return nil, errors.New("it is damaged; log in again")
	}
	return g, nil
}
