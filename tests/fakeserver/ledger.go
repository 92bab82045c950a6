package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// ledgerTools work on a file, whose path is the mode ledger=PATH, that outlives the server
// and its callers:
//
//	enter  {n, ms} answers n+1, and appends a line with the call's idempotency key and
//	       that answer; it takes ms before and ms after
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
