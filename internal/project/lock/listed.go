package lock

import "toolgraph/mcpclient"

// Listed returns the tool of an entry as its server listed it when it was locked, and whether that is its whole
// definition: parts may be omitted, truncated or without secrets. A schema that was learned from answers is not part of it.
func (e Entry) Listed() (tool mcpclient.Tool, whole bool) {
	tool = mcpclient.Tool{Name: e.Tool, Title: e.Title, Description: e.Description, InputSchema: e.Input, OutputSchema: e.Output, Annotations: e.Annotations}
	if e.Learned > 0 {
		tool.OutputSchema = nil
	}
	if e.TaskRequired {
		tool.Execution = []byte(`{"taskSupport":"required"}`)
	}
	return tool, e.Seal == ""
}

// Of returns the entries of a server.
func (l *Lock) Of(server string) (entries []Entry) {
	for _, e := range l.Entries {
		if e.Server == server {
			entries = append(entries, e)
		}
	}
	return entries
}
