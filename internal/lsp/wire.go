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

// wire reads and writes messages. Reading is for one goroutine, writing for many.
type wire struct {
	in  *bufio.Reader
	mu  sync.Mutex // guards out
	out io.Writer
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
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if err == io.EOF && read+len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		if read += len(line); err != nil || read > maxHeader {
			return 0, fmt.Errorf("the header of a message has more than %d bytes; expected Content-Length: N", maxHeader)
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

// write sends a message.
func (w *wire) write(m message) error {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}
