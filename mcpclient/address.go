package mcpclient

import (
	"fmt"
	"net/netip"
	"syscall"
)

// privateAddressError is an address that a server's name must not lead to unless its
// entry allows it: whoever controls a name could otherwise reach into our network.
type privateAddressError struct{ ip netip.Addr }

func (e *privateAddressError) Error() string {
	return fmt.Sprintf("it leads to %s, which is not a public address", e.ip)
}

// refused are the ranges that are not public beyond those that netip knows.
var refused = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// isPublic reports whether ip is an ordinary address of the internet. Forms that
// carry an IPv4 address inside (mapped, 6to4, NAT64, Teredo) are none.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range refused {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// publicOnly is a net.Dialer's Control: it sees the very address that is dialled,
// after the name was resolved, so that no second answer of a name server slips by.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("cannot tell the address %q: %w", address, err)
	}
	if !isPublic(to.Addr()) {
		return &privateAddressError{ip: to.Addr().Unmap()}
	}
	return nil
}
