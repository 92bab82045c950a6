package config

import (
	"errors"
	"strings"
	"testing"
)

func TestResultForm(t *testing.T) {
	const tool = `tools:
- name: t
  description: d
  RESULT
  nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`
	for written, want := range map[string]ResultForm{"result: text": TextResult, "result: json": JSONResult, "title: none": JSONResult} {
		f, err := Parse("g.yaml", []byte(head+strings.Replace(tool, "RESULT", written, 1)), Options{})
		if err != nil || f.Tools[0].Result != want {
			t.Errorf("%s: %v, want %s", written, err, want)
		}
	}
	for written, want := range map[string]string{
		"txet": `result of tool "t" is "txet", expected json or text`,
		`""`:   `result of tool "t" is "", expected json or text`,
		"5":    `result of tool "t" is the number 5, expected text`,
	} {
		_, err := Parse("g.yaml", []byte(head+strings.Replace(tool, "RESULT", "result: "+written, 1)), Options{})
		var found Diagnostics
		_ = errors.As(err, &found)
		if len(found) != 1 || found[0].Message != want {
			t.Errorf("%s: got %v, want %s", written, err, want)
		}
	}
}
