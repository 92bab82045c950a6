package temporal

import (
	"crypto/rand"
	"fmt"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// The metadata of an encrypted payload.
const (
	encrypted   = "binary/encrypted"  // the encoding
	keyMetadata = "encryption-key-id" // has the id of the key
)

// codec encrypts payloads with AES-256-GCM. The data of an encrypted payload is the nonce, then the
// whole payload, encrypted; the id of the key is authenticated with it. Payloads that are not
// encrypted pass, because runs that are older than the keys have them.
type codec struct{ keys *keys }

// Encode encrypts payloads with the first key.
func (c codec) Encode(in []*common.Payload) ([]*common.Payload, error) {
	out := make([]*common.Payload, len(in))
	for i, p := range in {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		key := c.keys.list[0]
		nonce := make([]byte, key.aead.NonceSize(), key.aead.NonceSize()+len(plain)+key.aead.Overhead())
		_, _ = rand.Read(nonce) // never fails
		out[i] = &common.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encrypted), keyMetadata: []byte(key.id)},
			Data:     key.aead.Seal(nonce, nonce, plain, []byte(key.id)),
		}
	}
	return out, nil
}

// Decode decrypts the payloads that are encrypted.
func (c codec) Decode(in []*common.Payload) ([]*common.Payload, error) {
	out := make([]*common.Payload, len(in))
	for i, p := range in {
		out[i] = p
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encrypted {
			continue
		}
		plain, err := c.keys.open(string(p.GetMetadata()[keyMetadata]), p.GetData())
		if err != nil {
			return nil, err
		}
		out[i] = &common.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, fmt.Errorf("a decrypted payload is not one of Temporal: %w", err)
		}
	}
	return out, nil
}

// withKeys makes a client encrypt: all values, and the texts of failures.
func withKeys(options *client.Options, keys *keys) {
	options.DataConverter = converter.GetDefaultDataConverter()
	if keys == nil {
		return
	}
	options.DataConverter = converter.NewCodecDataConverter(options.DataConverter, codec{keys})
	options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter: options.DataConverter, EncodeCommonAttributes: true,
	})
}
