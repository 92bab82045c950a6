package program

import (
	"fmt"
	"io"
	"time"

	"toolgraph/internal/base/wording"
)

// console reports on standard error.
type console struct{ err io.Writer }

// Starting prints which servers are being started when standard error is a terminal.
func (c console) Starting(server string) {
	if IsTerminal(c.err) {
		fmt.Fprintf(c.err, "starting %s …\n", wording.OneLine(server))
	}
}

// Stopping prints that the process is asked to stop.
func (c console) Stopping(grace time.Duration) {
	fmt.Fprintf(c.err, "toolgraph: stopping: the call in flight has %v to finish; a second signal ends the process at once\n", grace)
}
