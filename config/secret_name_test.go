package config

import "testing"

func TestSecretName(t *testing.T) {
	for _, name := range []string{"password", "Password", "dbPassword", "db_password", "API_KEY", "apiKey", "api-key", "apikey", "accessTokens", "APIToken", "client.secret", "key", "PIN", "credentials", "token2"} {
		if !SecretName(name) {
			t.Errorf("%s is no secret", name)
		}
	}
	for _, name := range []string{"", "author", "keyword", "keepNewest", "monkey", "tokenizer", "spin", "secretary", "authority", "passed", "öffnen", "a"} {
		if SecretName(name) {
			t.Errorf("%s is a secret", name)
		}
	}
}
