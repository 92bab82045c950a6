package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxMessage = 16 << 20 // bytes of a message: a document of the largest size, escaped
	maxHeader  = 8 << 10  // bytes of the lines before it
)

// message is any message of JSON-RPC.
type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   *responseError   `json:"error,omitempty"`
}

// The error codes of JSON-RPC and the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeModified       = -32801
	codeFailed         = -32803
)

// responseError is the error of a response.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

func errorf(code int, format string, args ...any) *responseError {
	return &responseError{code, fmt.Sprintf(format, args...)}
}

// tooLargeError is a message above the limit, which was skipped.
type tooLargeError struct{ size int64 }

func (e tooLargeError) Error() string {
	return fmt.Sprintf("a message has %d bytes, which is more than the limit of %d; it was skipped", e.size, maxMessage)
}

// maxQueue bounds the bytes that wait for a client that does not read.
const maxQueue = 32 << 20

// errStalled is a client that does not read.
var errStalled = fmt.Errorf("more than %d bytes wait for the client, which does not read", maxQueue)

// wire reads and writes messages. Reading is for one goroutine, writing for many: a message waits in a queue,
// so that no work waits for the client.
type wire struct {
	in   *bufio.Reader
	out  io.Writer
	dead chan struct{} // closed when err is set

	mu      sync.Mutex // guards what follows
	queue   [][]byte
	size    int // of the queue and what is being written
	writing bool
	idle    *sync.Cond // all is written, or err is set
	err     error
}

func newWire(in io.Reader, out io.Writer) *wire {
	w := &wire{in: bufio.NewReaderSize(in, 64<<10), out: out, dead: make(chan struct{})}
	w.idle = sync.NewCond(&w.mu)
	return w
}

// read returns the body of the next message.
func (w *wire) read() ([]byte, error) {
	size, err := w.header()
	if err != nil {
		return nil, err
	}
	if size > maxMessage {
		if _, err := io.CopyN(io.Discard, w.in, size); err != nil {
			return nil, err
		}
		return nil, tooLargeError{size}
	}
	body := make([]byte, size)
	_, err = io.ReadFull(w.in, body)
	return body, err
}

// header reads the lines before a body, and returns its size.
func (w *wire) header() (size int64, err error) {
	size = -1
	for read := 0; ; {
		line, err := w.in.ReadSlice('\n')
		if read += len(line); errors.Is(err, bufio.ErrBufferFull) || read > maxHeader {
			return 0, fmt.Errorf("the header of a message has more than %d bytes; expected Content-Length: N", maxHeader)
		} else if errors.Is(err, io.EOF) && read > 0 {
			return 0, io.ErrUnexpectedEOF
		} else if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, text, _ := strings.Cut(string(line), ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if size, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil || size < 0 {
			return 0, fmt.Errorf("the header Content-Length of a message is %q, expected a number of bytes", strings.TrimSpace(text))
		}
	}
	if size < 0 {
		return 0, errors.New("a message has no header Content-Length; is the client an editor's?")
	}
	return size, nil
}

// write sends a message. The error is that of an earlier one.
func (w *wire) write(m message) error {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	body = append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size += len(body); w.err == nil && w.size > maxQueue {
		w.fail(errStalled)
	}
	if w.err != nil {
		return w.err
	}
	if w.queue = append(w.queue, body); !w.writing {
		w.writing = true
		go w.flush()
	}
	return nil
}

// flush writes the queue until it is empty.
func (w *wire) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 && w.err == nil {
		body := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		_, err := w.out.Write(body)
		w.mu.Lock()
		if w.size -= len(body); err != nil && w.err == nil {
			w.fail(err)
		}
	}
	w.writing = false
	w.idle.Broadcast()
}

// fail ends writing. w.mu is held.
func (w *wire) fail(err error) {
	w.err, w.queue = err, nil
	close(w.dead)
	w.idle.Broadcast()
}

// drain waits until all is written, but not longer than a time.
func (w *wire) drain(longest time.Duration) {
	late := time.AfterFunc(longest, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil && w.writing {
			w.fail(errStalled)
		}
	})
	defer late.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.writing && w.err == nil {
		w.idle.Wait()
	}
}
