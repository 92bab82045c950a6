package temporal

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"toolgraph/internal/base/wording"
)

// keysVariable has the keys when no file does.
const keysVariable = "TOOLGRAPH_TEMPORAL_KEYS"

// keyBytes is the length of a key of AES-256.
const keyBytes = 32

// keys are the keys that encrypt payloads. The first one encrypts, all of them decrypt.
type keys struct{ list []key }

type key struct {
	id   string
	aead cipher.AEAD
}

// loadKeys reads the keys of a file, or of the environment without one. Without both it returns
// nil: payloads are not encrypted.
func loadKeys(path string) (*keys, error) {
	if path == "" {
		text := os.Getenv(keysVariable)
		if text == "" {
			return nil, nil //nolint:nilnil // not encrypted
		}
		return parseKeys("$"+keysVariable, text)
	}
	src, err := readSecretFile(path, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("--encryption-keys: %w", err)
	}
	return parseKeys(path, string(src))
}

// parseKeys reads keys, each in a line of its id and 32 bytes as base64. Lines that begin with #
// are comments. Errors name the line, never what it has.
func parseKeys(from, text string) (*keys, error) {
	all := &keys{}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		wrong := func(found string) error {
			return fmt.Errorf("line %d of %s %s; expected an id and %d bytes as base64, as in: echo \"2026-01 $(openssl rand -base64 %d)\"", i+1, from, found, keyBytes, keyBytes)
		}
		if len(fields) != 2 {
			return nil, wrong("has " + wording.Count(len(fields), "word"))
		}
		id := fields[0]
		if len(id) > maxKeyID || strings.ContainsFunc(id, notInKeyID) {
			return nil, wrong(fmt.Sprintf("has an id that is not allowed: at most %d letters, digits and any of .-_", maxKeyID))
		}
		if all.find(id) != nil {
			return nil, wrong("repeats an id")
		}
		bytes, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil || len(bytes) != keyBytes {
			return nil, wrong(fmt.Sprintf("has a key that is not %d bytes as base64", keyBytes))
		}
		block, err := aes.NewCipher(bytes)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		all.list = append(all.list, key{id, aead})
	}
	if len(all.list) == 0 {
		return nil, fmt.Errorf("%s has no key, expected lines of an id and %d bytes as base64; remove it if payloads are not to be encrypted", from, keyBytes)
	}
	return all, nil
}

const maxKeyID = 64

func notInKeyID(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(".-_", r):
		return false
	}
	return true
}

// find returns the key with an id, nil without one.
func (k *keys) find(id string) *key {
	if k == nil {
		return nil
	}
	for i := range k.list {
		if k.list[i].id == id {
			return &k.list[i]
		}
	}
	return nil
}

// ids returns the ids of all keys.
func (k *keys) ids() (all []string) {
	if k == nil {
		return nil
	}
	for _, key := range k.list {
		all = append(all, key.id)
	}
	return all
}

// open decrypts what a key has encrypted.
func (k *keys) open(id string, data []byte) ([]byte, error) {
	key := k.find(id)
	if key == nil {
		return nil, fmt.Errorf("a payload is encrypted with key %s, and this process has %s; add that key to --encryption-keys, below the first",
			wording.Quote(id), cmp.Or(strings.Join(k.ids(), ", "), "no keys"))
	}
	n := key.aead.NonceSize()
	if len(data) < n+key.aead.Overhead() {
		return nil, fmt.Errorf("a payload that is encrypted with key %s is truncated: it has %s", id, wording.Count(len(data), "byte"))
	}
	plain, err := key.aead.Open(nil, data[:n], data[n:], []byte(id))
	if err != nil {
		return nil, errors.New("a payload cannot be decrypted: it was changed, or the key with id " + id + " is another one here; compare the key files of all processes")
	}
	return plain, nil
}
