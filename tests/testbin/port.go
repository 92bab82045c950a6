package testbin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports that systems give to who asks for any port begin at 32,768 (Linux) or later.
const firstPort, lastPort = 10_000, 32_000

// FreePorts returns the first of count ports in a row at which nothing listens on 127.0.0.1, for programs whose port
// is an argument. No system gives these to who asks for any, so that no other test has one before the program listens.
func FreePorts(count int) (first int, err error) {
	for range 100 {
		first = firstPort + rand.IntN(lastPort-firstPort-count)
		if free(first, count) {
			return first, nil
		}
	}
	return 0, errors.New("found no free ports")
}

func free(first, count int) bool {
	var at net.ListenConfig
	for port := first; port < first+count; port++ {
		l, err := at.Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}
