package mcpclient

import (
	"math"
	"sync"

	"golang.org/x/sys/unix"
)

// keepOurFiles keeps descriptors that we were started with from our children: whoever
// started us may have left some open, and Go closes only its own.
var keepOurFiles = sync.OnceFunc(func() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // kernels before 5.11 cannot
})
