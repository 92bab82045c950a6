package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
)

func TestMachineKeys(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	f := mustParse(t, head+"mcpServers: {s: {type: http, url: 'https://a.test/mcp', oauth: {grant: client_credentials, clientId: a, privateKey: '${KEY}'}}}\n", "KEY", text)
	if o := f.Servers[0].OAuth; !o.Machine || o.Key == nil || o.Key.Algorithm != "ES256" {
		t.Errorf("got %+v", o)
	}
}

func TestMachineMistakes(t *testing.T) {
	for src, expected := range map[string]string{
		"clientId: a, clientSecret: literal-secret":                                        `clientSecret of oauth of server "s" is written in the file`,
		"clientId: a, clientSecret: '${S:-literal-secret}'":                                "is written in the file",
		"clientSecret: '${ID}'":                                                            "has no clientId beside it| variable ID is not set",
		"clientId: a, privateKeyFile: /nowhere/key.pem":                                    "add grant: client_credentials",
		"grant: client_credentials, clientId: a":                                           "needs clientSecret, privateKey or privateKeyFile",
		"grant: client_credentials, clientId: a, privateKeyFile: /nowhere/key.pem":         "privateKeyFile of oauth of server \"s\" names a file that cannot be read",
		"grant: client_credentials, clientId: a, privateKeyFile: /":                        "names something that is not a file",
		"grant: client_credentials, clientId: a, privateKeyFile: /etc/passwd":              "is not a private key in PEM",
		"grant: client_credentials, clientId: a, privateKeyFile: /k, privateKey: '${KEY}'": "is given beside privateKey| variable KEY is not set",
		"clientId: a, clientAuth: client_secret_post":                                      "is for a clientSecret, and there is none",
	} {
		want(t, head+"mcpServers: {s: {type: http, url: 'https://a.test/mcp', oauth: {"+src+"}}}\n", strings.Split(expected, "|")...)
	}
}
