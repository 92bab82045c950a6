package server

// stackOfRun is how many bytes of stack a run needs, with a call of an upstream server in it.
const stackOfRun = 6 << 10

// growStack makes the stack of a goroutine as large as a run needs, while there is little on it. A
// stack that grows by itself, deep in a run, is copied frame by frame at each step, which is a
// quarter of the work of a short call.
//
//go:noinline
func growStack() {
	var room [stackOfRun]byte
	reserve(&room)
}

//go:noinline
func reserve(*[stackOfRun]byte) {}
