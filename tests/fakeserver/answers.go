package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// answering takes the tools of the mode answers=PATH in place of all others: the file has their results by name, {"read":
// {"content": […]}}; $TIME and $ID in them are other ones with each call. The diary has their calls as "called TOOL ARGUMENTS"; their definitions are those of the mode rugpull.
func (s *server) answering() {
	path := s.modes["answers"]
	if path == "" {
		return
	}
	var results map[string]json.RawMessage
	src, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(src, &results)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(6)
	}
	tools = map[string]func(*call){}
	for name, result := range results {
		tools[name] = func(c *call) {
			c.note("called %s %s", name, c.args)
			now := time.Now().UTC()
			c.result(c.id, json.RawMessage(strings.NewReplacer(
				"$TIME", now.Format("2006-01-02T15:04:05.000000000Z"), "$ID", strconv.FormatInt(now.UnixNano(), 36),
			).Replace(string(result))))
		}
	}
}
