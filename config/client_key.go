package config

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ClientKey is the private key with which a client proves who it is (private_key_jwt of RFC 7523).
type ClientKey struct {
	crypto.Signer        // an ECDSA key on P-256, an RSA key of 2048 bits or more, or an Ed25519 key
	Algorithm     string // ES256, RS256 or EdDSA
}

const (
	clientKeyMost = 64 << 10 // bytes of a file with a key
	leastRSA      = 2048     // bits
)

// parseClientKey reads a private key in PEM: PKCS #8, or the older forms of RSA and EC. Errors never
// quote the text.
func parseClientKey(text string) (*ClientKey, error) {
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n") // as variables of one line have it
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("is not a private key in PEM, expected -----BEGIN PRIVATE KEY-----")
	}
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("is encrypted, expected a private key without a passphrase")
	default:
		return nil, errors.New("has PEM of another kind, expected PRIVATE KEY")
	}
	if err != nil {
		return nil, errors.New("is a damaged private key")
	}
	return clientKeyOf(key)
}

func clientKeyOf(key any) (*ClientKey, error) {
	const expected = "expected an EC key on P-256 (ES256), an RSA key of 2048 bits or more (RS256), or an Ed25519 key (EdDSA)"
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return &ClientKey{Signer: k, Algorithm: "ES256"}, nil
		}
		return nil, fmt.Errorf("is an EC key on %s, %s", k.Curve.Params().Name, expected)
	case *rsa.PrivateKey:
		if k.N.BitLen() >= leastRSA {
			return &ClientKey{Signer: k, Algorithm: "RS256"}, nil
		}
		return nil, fmt.Errorf("is an RSA key of %d bits, %s", k.N.BitLen(), expected)
	case ed25519.PrivateKey:
		return &ClientKey{Signer: k, Algorithm: "EdDSA"}, nil
	}
	return nil, errors.New("is a key of another kind, " + expected)
}

// readClientKey reads a private key from a file.
func readClientKey(path string) (*ClientKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, errors.New("names something that is not a file, expected a file with a private key in PEM")
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, clientKeyMost))
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	return parseClientKey(string(raw))
}
