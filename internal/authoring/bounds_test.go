package authoring

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/base/cost"
	"toolgraph/internal/serving/toolset"
)

// X02: no answer about a value has more of it than is shown of a result, and what is left out is not
// encoded either.
func TestX02AnswersAreBounded(t *testing.T) {
	k := kit(t, graphFile)
	for tool, args := range map[string]string{
		"testJSONata":   `{"expression":"$pad(\"\", 20000000, \"x\")"}`,
		"testJSONLogic": `{"expression":{"var":"$pad(\"\", 20000000, \"x\")"}}`,
	} {
		got := k.answerTo(t, tool, args)
		if len(got) > 2*mostShown || !strings.Contains(got, `"truncated":true,"bytes":20000002`) || !strings.Contains(got, "only its beginning is shown") {
			t.Errorf("%s: %.300s", tool, got)
		}
	}
	if _, note := bounded(t.Context(), "short", config.NewSecrets("a secret text")); note != "" { // what is made at the first use is made once
		t.Error(note)
	}
	big := strings.Repeat("text ", 10<<20)
	cost.Below(t, 128<<10, func() {
		shown, note := bounded(t.Context(), []any{big, big}, config.NewSecrets("a secret text"))
		raw, err := toolset.JSON(shown)
		if err != nil || len(raw) > 2*mostShown || !strings.HasPrefix(note, "the value has 104857607 bytes") {
			t.Errorf("%q, %.200s, %v", note, raw, err)
		}
	})
	list := []any{1.0}
	for range 60 {
		list = []any{list, list}
	}
	log := &runLog{}
	log.rule(list)
	log.rule(list[:0])
	if raw, err := toolset.JSON(log.entries); err != nil || strings.Count(string(raw), "larger than is logged") != 1 || !strings.Contains(string(raw), `"args":[[]]`) {
		t.Errorf("%.300s, %v", raw, err)
	}
}
