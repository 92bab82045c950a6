package mcpclient

import (
	"encoding/json"
	"testing"
)

func TestSecretField(t *testing.T) {
	for properties, want := range map[string]string{
		`{"password":{"type":"string"}}`:                                      "password",
		`{"Pass-Phrase":{}}`:                                                  "Pass-Phrase",
		`{"a":{"type":"string","title":"Your API key"}}`:                      "a",
		`{"a":{"type":"string","format":"password"}}`:                         "a",
		`{"b":{"type":"string"},"client_secret":{"type":"string"}}`:           "client_secret",
		`{"z_password":{"type":"string"},"a_password":{"type":"string"}}`:     "a_password",
		`{"resetPassword":{"type":"boolean"}}`:                                "",
		`{"tokens":{"type":"integer"},"token":{"type":"string"}}`:             "",
		`{"password":{"type":"string","enum":["keep","reset"]}}`:              "",
		`{"key":{"type":"string"},"name":{"type":"string","format":"email"}}`: "",
		`{"a":7,"password":7}`:                                                "",
		`[]`:                                                                  "",
		`{"a":{"type":["string"],"title":7}}`:                                 "",
	} {
		params := json.RawMessage(`{"message":"m","requestedSchema":{"type":"object","properties":` + properties + `}}`)
		if got := secretField(params); got != want {
			t.Errorf("%s: got %q, want %q", properties, got, want)
		}
	}
	for _, params := range []string{``, `[]`, `{}`, `{"requestedSchema":7}`, `{"mode":"url","url":"https://a.example/?password"}`} {
		if got := secretField(json.RawMessage(params)); got != "" {
			t.Errorf("%s: got %q", params, got)
		}
	}
}
