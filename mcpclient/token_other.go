//go:build !unix || solaris || aix

package mcpclient

const noFollow = 0

// lock does nothing: two processes that renew a token at the same moment may both
// have to log in again.
func (f *tokenFile) lock() (unlock func(), err error) { return func() {}, nil }
