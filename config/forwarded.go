package config

import (
	"net/url"
	"strings"
)

// forwarded are the variables of the host that make TLS, proxies and npm's registry work
// on machines where they are needed. Every server that is started gets them.
var forwarded = []string{
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"npm_config_registry", "npm_config_cache",
}

// Forwarded are the names of the variables that every server that is started gets when the
// host has them, because TLS, proxies and npm's registry depend on them. A user and a
// password in one are Secrets of each File.
func Forwarded() []string { return forwarded }

// noteForwarded registers the users and passwords in the addresses of proxies and of a
// registry.
func (d *decoder) noteForwarded() {
	if d.assume {
		return // and the caller may list what is looked up as what the file asks for
	}
	for _, name := range forwarded {
		if value, set := d.lookup(name); set {
			d.secrets = append(d.secrets, userinfoSecrets(value)...)
		}
	}
}

// userinfoSecrets are what is secret of a user and a password in an address: the password,
// and the pair as Basic authorization sends it; without a password the user, which is a
// token then. Each as it is written, and decoded.
func userinfoSecrets(address string) []string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	authority, _, _ := strings.Cut(address, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 { // a password may hold a slash that should be escaped
		if at = strings.LastIndexByte(address, '@'); at < 0 || !strings.Contains(authority, ":") {
			return nil
		}
		authority = address
	}
	written := authority[:at]
	values := []string{written}
	if decoded, err := url.PathUnescape(written); err == nil {
		values = append(values, decoded)
	}
	for _, pair := range values {
		if _, password, has := strings.Cut(pair, ":"); has {
			values = append(values, password)
		}
	}
	return values
}
