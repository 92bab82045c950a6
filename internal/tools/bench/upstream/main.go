// Upstream is an MCP server over stdio for the graphs that are measured to call. It
// is on the standard library alone and answers each request at once, so that its own
// time is small beside the caller's.
//
//	echo {msg}  gives {msg}
//	inc {n}     gives {n: n+1}
//	items {n}   gives {items: [...]}, n items of 108 bytes
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

const tools = `{"tools":[` +
	`{"name":"echo","inputSchema":{"type":"object","properties":{"msg":{"type":"string"}},"required":["msg"]}},` +
	`{"name":"inc","inputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}},` +
	`{"name":"items","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]}`

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Name            string          `json:"name"`
		Arguments       json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

// serve answers every line of in, and flushes when no further request waits.
func serve(in io.Reader, out io.Writer) error {
	reader, writer := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	lists := map[int][]byte{}
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := answer(writer, line, lists); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return writer.Flush()
		case err != nil:
			return err
		case reader.Buffered() == 0:
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
}

func answer(w *bufio.Writer, line []byte, lists map[int][]byte) error {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("a line is not a request: %w", err)
	}
	if len(r.ID) == 0 { // a notification
		return nil
	}
	result, fault := reply(&r, lists)
	member, body := `"result":`, result
	if fault != "" {
		member, body = `"error":`, []byte(fault)
	}
	for _, part := range [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), r.ID, []byte(","), []byte(member), body, []byte("}\n")} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// reply is the result of r, or a JSON-RPC error object.
func reply(r *request, lists map[int][]byte) (result []byte, fault string) {
	switch r.Method {
	case "initialize":
		version, err := json.Marshal(r.Params.ProtocolVersion)
		if err != nil {
			return nil, `{"code":-32603,"message":"no version"}`
		}
		return fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"1.0.0"}}`, version), ""
	case "ping":
		return []byte(`{}`), ""
	case "tools/list":
		return []byte(tools), ""
	case "tools/call":
		return call(r.Params.Name, r.Params.Arguments, lists)
	}
	return nil, `{"code":-32601,"message":"method not found"}`
}

func call(tool string, raw json.RawMessage, lists map[int][]byte) (result []byte, fault string) {
	var args struct {
		Msg string  `json:"msg"`
		N   float64 `json:"n"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, `{"code":-32602,"message":"arguments of another type"}`
	}
	var value []byte
	var err error
	switch tool {
	case "echo":
		value, err = json.Marshal(map[string]string{"msg": args.Msg})
	case "inc":
		value, err = json.Marshal(map[string]float64{"n": args.N + 1})
	case "items":
		return list(int(args.N), lists), ""
	default:
		return nil, `{"code":-32602,"message":"unknown tool"}`
	}
	if err != nil {
		return nil, `{"code":-32603,"message":"no result"}`
	}
	text, err := json.Marshal(string(value))
	if err != nil {
		return nil, `{"code":-32603,"message":"no result"}`
	}
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":%s}`, text, value), ""
}

// list is the result of items, made once for each n.
func list(n int, lists map[int][]byte) []byte {
	if made, ok := lists[n]; ok {
		return made
	}
	var b bytes.Buffer
	b.WriteString(`{"content":[{"type":"text","text":"see structuredContent"}],"structuredContent":{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"group":"g%d","value":%d,"name":"item %07d","note":"forty bytes of text that no one reads."}`,
			i, i%16, i*7919%1000, i)
	}
	b.WriteString(`]}}`)
	lists[n] = b.Bytes()
	return lists[n]
}
