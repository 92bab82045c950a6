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
// encrypted pass, because runs that are older than the keys have them. Without keys a codec encrypts
// nothing, and its error says why it cannot decrypt.
type codec struct {
	keys   *keys
	worker bool // of a worker, where an error of Decode would end a workflow for good
	panics bool // a task of a workflow is made
}

// WithSerializationContext returns the codec of a task.
func (c codec) WithSerializationContext(of converter.SerializationContext) converter.PayloadCodec {
	_, isWorkflow := of.(converter.WorkflowSerializationContext)
	c.panics = c.worker && isWorkflow
	return c
}

// Encode encrypts payloads with the first key.
func (c codec) Encode(in []*common.Payload) ([]*common.Payload, error) {
	if c.keys == nil {
		return in, nil
	}
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

// Decode decrypts the payloads that are encrypted. In a task of a workflow it panics rather than
// returning an error: then the task waits for a worker that can decrypt them.
func (c codec) Decode(in []*common.Payload) ([]*common.Payload, error) {
	out, err := c.decode(in)
	if err != nil && c.panics {
		panic(err)
	}
	return out, err
}

func (c codec) decode(in []*common.Payload) ([]*common.Payload, error) {
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

// withKeys makes a client encrypt: all values, and the texts of failures. Without keys it decrypts
// nothing, and its errors name the key.
func withKeys(options *client.Options, keys *keys, worker bool) {
	options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec{keys: keys, worker: worker})
	options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter: options.DataConverter, EncodeCommonAttributes: keys != nil,
	})
}
