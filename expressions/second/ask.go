package second

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"toolgraph/expressions/value"
)

// Limits of the process that asks an engine.
const (
	mostMemory = 1 << 30  // bytes of its heap
	mostStack  = 64 << 20 // bytes of the stack of a goroutine
	waitDelay  = time.Second
)

// mostTime is how long that process may take. Tests change it.
var mostTime = 5 * time.Second

// Ask runs a command that calls Answer, and returns the opinion. A process that crashes, takes more than
// 5 s or, when it calls LimitMemory, more than 1 GiB, is ended and gives an Opinion with a Failure. The
// error is that of a command that cannot be started, of data that cannot be encoded, or the cause of ctx's end.
func Ask(ctx context.Context, q *Question, command string, args ...string) (Opinion, error) {
	in, err := json.Marshal(q)
	if err != nil {
		return Opinion{}, err
	}
	limited, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	cmd := exec.CommandContext(limited, command, args...)
	cmd.WaitDelay = waitDelay
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), &out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Opinion{}, context.Cause(ctx)
	case limited.Err() != nil:
		return Opinion{Failure: fmt.Sprintf("no answer within %v", mostTime)}, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitMemory:
		return Opinion{Failure: fmt.Sprintf("takes more than %d MiB of memory", mostMemory>>20)}, nil
	case errors.As(err, &exit):
		return Opinion{Failure: "its process crashed: " + exit.String()}, nil
	case err != nil:
		return Opinion{}, err
	}
	var answer opinionJSON
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return Opinion{}, err
	}
	return Opinion{Value: answer.Value.Value, Failure: answer.Failure}, nil
}

// Agrees reports whether the opinion is this value. The error is the cause of ctx's end.
func (o *Opinion) Agrees(ctx context.Context, v value.Value) (bool, error) {
	if o.Failure != "" {
		return false, nil
	}
	return value.Equal(value.Until(ctx), o.Value, v)
}

// exitMemory is the exit code of a process that takes too much memory.
const exitMemory = 97

// LimitMemory ends this process when its heap exceeds 1 GiB, or a stack 64 MiB. Its goroutine ends with the
// process.
func LimitMemory() {
	debug.SetMaxStack(mostStack)
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			if metrics.Read(heap); heap[0].Value.Uint64() > mostMemory {
				os.Exit(exitMemory)
			}
		}
	}()
}
