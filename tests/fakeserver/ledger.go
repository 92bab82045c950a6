package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// ledgerTools work on a file, whose path is the mode ledger=PATH, that outlives the server
// and its callers:
//
//	enter  {n, ms} answers n+1, and appends a line with the call's idempotency key and
//	       that answer; it takes ms before and ms after. With the mode upto=PATH it waits
//	       while the file has as many lines as the number in PATH, if that exists
func ledgerTools() map[string]func(*call) {
	return map[string]func(*call){"enter": (*call).enter}
}

func (c *call) enter() {
	var p struct {
		Meta struct {
			Key string `json:"toolgraph/idempotencyKey"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(c.params, &p)
	pause := time.Duration(c.in.MS) * time.Millisecond
	time.Sleep(pause)
	for c.isFull() {
		time.Sleep(time.Millisecond)
	}
	f, err := os.OpenFile(c.modes["ledger"], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %v\n", p.Meta.Key, c.in.N+1) // one write: no half lines
		_ = f.Close()
	}
	if err != nil {
		c.refuse(-32603, err.Error())
		return
	}
	time.Sleep(pause)
	c.text(fmt.Sprint(c.in.N + 1))
}

// isFull reports whether the ledger has the number of lines that it may have for now.
func (c *call) isFull() bool {
	most, err := os.ReadFile(c.modes["upto"])
	if err != nil {
		return false
	}
	lines, err := os.ReadFile(c.modes["ledger"])
	return err == nil && fmt.Sprint(bytes.Count(lines, []byte("\n"))) == string(most)
}
