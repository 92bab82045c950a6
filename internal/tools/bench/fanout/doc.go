// Fanout measures a call for every item of a list: how much longer a run takes than the waits
// of its calls alone, which as many goroutines make in the same process, in turns with the
// runs. It prints a table as Markdown, the memory of a run, and how long a cancellation takes.
//
//	go -C internal/tools/bench run ./fanout [-items 10000] [-wait 5ms] [-rounds 3] [-quick]
//
// Beside the forEach there are a step with each, of calls and of blocks, one call after the other, and a fixed graph of
// declared steps of which ten run at a time, level by level, as composite tools of other
// gateways need it where a list has no loop.
package main
