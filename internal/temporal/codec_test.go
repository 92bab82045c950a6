package temporal

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// line returns a line of a key file.
func line(id string, fill byte) string {
	return id + " " + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{fill}, keyBytes)) + "\n"
}

func keysOf(t testing.TB, text string) codec {
	t.Helper()
	all, err := parseKeys("the test", text)
	if err != nil {
		t.Fatal(err)
	}
	return codec{keys: all}
}

// converterOf returns the converter of a client with keys.
func optionsOf(c codec) client.Options {
	var options client.Options
	withKeys(&options, c.keys, false)
	return options
}

func TestCodec(t *testing.T) {
	older, newer := line("2026-01", 1), line("2026-02", 2)
	one := optionsOf(keysOf(t, older)).DataConverter
	value := map[string]string{"secret": "a text that the server must not see"}
	before, err := one.ToPayload(value)
	if err != nil {
		t.Fatal(err)
	}
	again, err := one.ToPayload(value)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := proto.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(wire, []byte("secret")) || bytes.Contains(wire, []byte("json/plain")) || bytes.Equal(before.Data, again.Data) {
		t.Errorf("the payload shows what it has: %q", wire)
	}

	for name, text := range map[string]string{"same": older, "added below": older + newer, "moved to the top": newer + "# the old one still decrypts\n\n" + older} {
		var got map[string]string
		if err := optionsOf(keysOf(t, text)).DataConverter.FromPayload(before, &got); err != nil || got["secret"] != value["secret"] {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	after, err := keysOf(t, newer+older).Encode([]*common.Payload{before})
	if err != nil || string(after[0].Metadata[keyMetadata]) != "2026-02" {
		t.Errorf("the first key encrypts: %v %v", after, err)
	}

	for name, test := range map[string]struct{ keys, want string }{
		"removed":        {newer, `a payload is encrypted with key "2026-01", and this process has 2026-02; add that key to --encryption-keys, below the first`},
		"another secret": {line("2026-01", 9), "the key with id 2026-01 is another one here; compare the key files of all processes"},
	} {
		var got any
		if err := optionsOf(keysOf(t, test.keys)).DataConverter.FromPayload(before, &got); err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if _, err := (codec{}).Decode([]*common.Payload{before}); err == nil || !strings.Contains(err.Error(), "this process has no keys") {
		t.Error("without keys:", err)
	}
}

// Each change of an encrypted payload is found, and what is not encrypted passes.
func TestCodecForged(t *testing.T) {
	c := keysOf(t, line("k", 1)+line("other", 1))
	plain := &common.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte("json/plain")}, Data: []byte(`{"a":1}`)}
	all, err := c.Encode([]*common.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	forge := func(change func(*common.Payload)) *common.Payload {
		p := proto.Clone(all[0]).(*common.Payload)
		change(p)
		return p
	}
	for name, test := range map[string]struct {
		p    *common.Payload
		want string
	}{
		"empty":       {forge(func(p *common.Payload) { p.Data = nil }), "is truncated: it has 0 bytes"},
		"nonce":       {forge(func(p *common.Payload) { p.Data = p.Data[:12] }), "is truncated: it has 12 bytes"},
		"last byte":   {forge(func(p *common.Payload) { p.Data = p.Data[:len(p.Data)-1] }), "it was changed, or the key"},
		"one bit":     {forge(func(p *common.Payload) { p.Data[20] ^= 1 }), "it was changed, or the key"},
		"id of a key": {forge(func(p *common.Payload) { p.Metadata[keyMetadata] = []byte("other") }), "it was changed, or the key"},
		"no id":       {forge(func(p *common.Payload) { delete(p.Metadata, keyMetadata) }), `encrypted with key "", and this process has k, other`},
		"binary id":   {forge(func(p *common.Payload) { p.Metadata[keyMetadata] = []byte{0xff, 0} }), `encrypted with key "\xff\x00"`},
	} {
		if got, err := c.Decode([]*common.Payload{plain, test.p}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	got, err := c.Decode([]*common.Payload{plain, all[0]})
	if err != nil || !proto.Equal(got[0], plain) || !proto.Equal(got[1], plain) {
		t.Error(got, err)
	}
}

// The text of a failure is encrypted, too.
func TestCodecFailure(t *testing.T) {
	options := optionsOf(keysOf(t, line("k", 1)))
	failure := options.FailureConverter.ErrorToFailure(temporal.NewApplicationError("account 4711 is locked", "tool-error", "4711"))
	wire, err := proto.Marshal(failure)
	if err != nil || bytes.Contains(wire, []byte("4711")) {
		t.Errorf("%q %v", wire, err)
	}
	if back := options.FailureConverter.FailureToError(failure); !strings.Contains(back.Error(), "account 4711 is locked") {
		t.Error(back)
	}
}

func TestKeys(t *testing.T) {
	good := line("k", 1)
	for text, want := range map[string]string{
		"":                                   "has no key",
		"# " + good:                          "has no key",
		"k":                                  "line 1 of the test has 1 word; expected an id and 32 bytes as base64",
		good + "\n" + "l x y":                "line 3 of the test has 3 words",
		good + good:                          "line 2 of the test repeats an id",
		"k c2VjcmV0":                         "line 1 of the test has a key that is not 32 bytes as base64",
		"k secret!":                          "line 1 of the test has a key that is not 32 bytes as base64",
		strings.Replace(good, "k", "k/1", 1): "line 1 of the test has an id that is not allowed",
		strings.Replace(good, "k", strings.Repeat("k", 65), 1): "line 1 of the test has an id that is not allowed",
	} {
		_, err := parseKeys("the test", text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "c2VjcmV0") || strings.Contains(err.Error(), "secret!") {
			t.Errorf("%q: %v", text, err)
		}
	}

	path := filepath.Join(t.TempDir(), "keys")
	t.Setenv(keysVariable, "")
	if all, err := loadKeys(""); all != nil || err != nil {
		t.Error(all, err)
	}
	t.Setenv(keysVariable, good)
	if all, err := loadKeys(""); err != nil || all.list[0].id != "k" {
		t.Error(all, err)
	}
	if all, err := loadKeys(writeFile(t, path, []byte(line("file", 2)), 0o600)); err != nil || all.list[0].id != "file" {
		t.Error("a file wins over the environment:", all, err)
	}
	if _, err := loadKeys(writeFile(t, path, []byte(good), 0o644)); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "chmod 600")) {
		t.Error(err)
	}
}

// Whatever a server has as a payload, Decode returns it, decrypts it or fails.
func FuzzDecode(f *testing.F) {
	c := keysOf(f, line("k", 1))
	sealed, err := c.Encode([]*common.Payload{{Data: []byte("1")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encrypted, "k", sealed[0].Data)
	f.Add(encrypted, "k", sealed[0].Data[:27])
	f.Add(encrypted, "", []byte{})
	f.Add("json/plain", "k", []byte("1"))
	f.Fuzz(func(t *testing.T, encoding, id string, data []byte) {
		in := &common.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding), keyMetadata: []byte(id)}, Data: data}
		out, err := c.Decode([]*common.Payload{in})
		switch {
		case encoding != encrypted && (err != nil || !proto.Equal(out[0], in)):
			t.Errorf("%v %v", out, err)
		case encoding == encrypted && err == nil && !bytes.Equal(data, sealed[0].Data) && len(data) < 28:
			t.Errorf("%q was decrypted", data)
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add(line("k", 1) + "# x\n" + line("l", 2))
	f.Add("k\x00 \n")
	f.Fuzz(func(t *testing.T, text string) {
		if all, err := parseKeys("the test", text); err == nil && len(all.list) == 0 {
			t.Error("no keys and no error")
		}
	})
}
