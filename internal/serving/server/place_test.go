package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// dataOf reads JSON as a piece of a graph file: line 1, the column is the byte
// after the token.
func dataOf(t testing.TB, src string) *config.Data {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(src)))
	d.UseNumber()
	data := readData(t, d)
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more after %s: %v", src, err)
	}
	return data
}

func readData(t testing.TB, d *json.Decoder) *config.Data {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	data := &config.Data{Pos: placeOf(d), Kind: config.KindScalar, Scalar: token}
	delim, ok := token.(json.Delim)
	if !ok {
		return data
	}
	data.Scalar, data.Kind = nil, config.KindArray
	if delim == '{' {
		data.Kind = config.KindObject
	}
	for d.More() {
		if data.Kind == config.KindObject {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			data.Keys = append(data.Keys, config.Text{Value: key.(string), Pos: placeOf(d)})
		}
		data.Items = append(data.Items, readData(t, d))
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	return data
}

func placeOf(d *json.Decoder) config.Pos {
	return config.Pos{File: "g.yaml", Line: 1, Column: int(d.InputOffset())}
}

// toolOf is a tool with these schemas; "" for none.
func toolOf(t testing.TB, name, input, output string) Tool {
	t.Helper()
	tool := &config.Tool{Name: config.Text{Value: name}}
	if input != "" {
		tool.InputSchema = dataOf(t, input)
	}
	if output != "" {
		tool.OutputSchema = dataOf(t, output)
	}
	return Tool{Def: tool, Run: func(_ context.Context, args value.Value, _ Watch) (Answer, error) {
		return Answer{Value: args}, nil
	}}
}
