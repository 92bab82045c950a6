package mcpclient

import (
	"math"
	"sync"

	"golang.org/x/sys/unix"
)

// closeInherited keeps descriptors that this process has inherited from being inherited by
// its children: the parent may have left some open, and Go closes only its own.
var closeInherited = sync.OnceFunc(func() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // kernels before 5.11 cannot
})
