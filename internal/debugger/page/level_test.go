package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

func TestPreview(t *testing.T) {
	for _, c := range []struct {
		src  string
		most int
		want string
	}{
		{`{"b": 1, "a": [true, null, "x"]}`, 100, `{"b":1,"a":[true,null,"x"]}`},
		{`[1, 2, 3, 4, 5]`, 5, `[1,2,…`},
		{`12345678901234567890`, 100, `12345678901234567890`},
		{`"äöü"`, 4, `"ä…`},
		{`"<img src=x onerror=alert(1)>"`, 100, `"<img src=x onerror=alert(1)>"`},
	} {
		v, err := value.Decode([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := preview(v, c.most); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%s in %d: %s, expected %s", c.src, c.most, got, c.want)
		}
	}
}

// A level has a bounded number of children, each by a bounded preview, however large
// the value is.
func TestLevelIsBounded(t *testing.T) {
	src := `{"list": [` + strings.Repeat(`{"deep": [[[["x"]]]]},`, 9999) + `0], "text": "` + strings.Repeat("y", 1e6) + `"}`
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	top, err := levelOf(v, nil, 0)
	if err != nil || len(top.Children) != 2 || top.Children[0].Size != 10000 || len(top.Children[0].Preview) > previewShown+4 {
		t.Errorf("%v %+v", err, top)
	}
	if text := top.Children[1]; text.More != childText || len(text.Text) != childText || text.Bytes != 1e6 {
		t.Errorf("a long text: more from %d, %d of %d bytes", text.More, len(text.Text), text.Bytes)
	}
	list, err := levelOf(v, []any{"list"}, 9950)
	if err != nil || len(list.Children) != 50 || list.Children[49].Text != "0" {
		t.Errorf("%v: %d children", err, len(list.Children))
	}
	for _, path := range [][]any{{"none"}, {"list", 99999.0}, {"text", "x"}, {true}} {
		if _, err := levelOf(v, path, 0); err == nil {
			t.Errorf("%v leads somewhere", path)
		}
	}
}
