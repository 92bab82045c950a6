package config

import (
	"net/netip"
	"net/url"
	"strings"
)

// namesLoopback reports whether a file itself names the loopback host and port of a
// url. written is the url as the file alone has it: where a variable of the environment
// made a part of scheme, host or port, the two differ in it.
func namesLoopback(written, address string) bool {
	byFile, err := url.Parse(written)
	if err != nil {
		return false
	}
	full, err := url.Parse(address)
	return err == nil && byFile.Scheme == full.Scheme && byFile.Host == full.Host && isLoopback(full.Hostname())
}

// isLoopback reports whether a host is written as localhost, 127.0.0.0/8 or ::1. Other
// ways to write them, such as ::ffff:127.0.0.1 or 2130706433, are left to allowPrivate.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && !ip.Is4In6() && ip.Zone() == ""
}
