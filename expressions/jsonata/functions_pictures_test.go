package jsonata

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pictureCall is a call of a function that takes a picture and what jsonata-js makes of
// it; see testdata/pictures.mjs.
type pictureCall struct {
	Function string `json:"f"`
	Args     []any  `json:"args"`
	Value    any    `json:"value"`
	Nothing  bool   `json:"nothing"`
	Code     string `json:"code"`
}

func (c *pictureCall) answer() (value any, nothing bool, code string) {
	picture, zone := isoTimePicture, ""
	if len(c.Args) > 1 {
		picture = c.Args[1].(string)
	}
	if len(c.Args) > 2 {
		zone = c.Args[2].(string)
	}
	var err error
	var fault *pictureError
	found := true
	switch c.Function {
	case "formatInteger":
		value, err = integerText(c.Args[0].(float64), picture)
	case "parseInteger":
		value, err = integerOf(c.Args[0].(string), picture)
	case "fromMillis":
		value, err = timeText(c.Args[0].(float64), picture, zone)
	case "toMillis":
		if len(c.Args) == 1 {
			value, err = isoTimeOf(c.Args[0].(string))
		} else {
			value, found, err = timeOf(c.Args[0].(string), picture, time.Date(2026, 5, 17, 13, 14, 15, 0, time.UTC))
		}
	}
	switch {
	case errors.As(err, &fault):
		return nil, false, fault.Code
	case !found:
		return nil, true, ""
	}
	return value, false, ""
}

func TestPicturesAgreeWithJSONataJS(t *testing.T) {
	path := filepath.Join("testdata", "pictures.jsonl")
	if other := os.Getenv("TOOLGRAPH_JSONATA_PICTURES"); other != "" {
		path = other
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, differ := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var c pictureCall
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		value, nothing, code := c.answer()
		if value != c.Value || nothing != c.Nothing || code != c.Code {
			differ++
			t.Errorf("line %d: $%s(%q)\n got %v %s\nwant %v %s", rows+1, c.Function, c.Args, value, code, c.Value, c.Code)
		}
	}
	if rows < 1200 {
		t.Errorf("%d rows, want at least 1,200", rows)
	}
	t.Logf("%d rows, %d differ", rows, differ)
}

// Where jsonata-js loses digits, shifts a time zone or gives NaN, Toolgraph does not.
func TestPicturesBetterThanJSONataJS(t *testing.T) {
	for _, c := range []pictureCall{
		{Function: "formatInteger", Args: []any{617.0, "#,##,##0"}, Value: "617"},                                                           // ",,17"
		{Function: "formatInteger", Args: []any{1234567.0, "#,##,##0"}, Value: "12,34,567"},                                                 // the same
		{Function: "formatInteger", Args: []any{2e6, "I"}, Code: "size"},                                                                    // 2,000 M
		{Function: "formatInteger", Args: []any{math.Inf(1), "a"}, Code: "D3001"},                                                           // no end
		{Function: "formatInteger", Args: []any{math.Inf(-1), "w"}, Code: "D3001"},                                                          // a stack overflow
		{Function: "formatInteger", Args: []any{math.NaN(), "I"}, Code: "D3001"},                                                            // nothing
		{Function: "parseInteger", Args: []any{"830'944", "#'##0"}, Value: 830944.0},                                                        // 830
		{Function: "parseInteger", Args: []any{"xiv", "I"}, Value: 14.0},                                                                    // NaN
		{Function: "parseInteger", Args: []any{"", "0"}, Code: "D3137"},                                                                     // NaN
		{Function: "parseInteger", Args: []any{"12", "a"}, Code: "D3137"},                                                                   // -1268
		{Function: "parseInteger", Args: []any{"٤٢", "٠"}, Value: 42.0},                                                                     // the same
		{Function: "fromMillis", Args: []any{0.0, "[H01]:[m01] [Z]", "-0330"}, Value: "20:30 -03:30"},                                       // 19:30 -4:-30
		{Function: "fromMillis", Args: []any{0.0, "[H01]:[m01]", "+01:00"}, Value: "01:00"},                                                 // 00:01
		{Function: "fromMillis", Args: []any{0.0, "[H01]:[m01] [z]", "Asia/Tokyo"}, Value: "09:00 GMT+09:00"},                               // NaN
		{Function: "fromMillis", Args: []any{0.0, "[H01] [Z01:01t]", "Z"}, Value: "00 Z"},                                                   // NaN
		{Function: "fromMillis", Args: []any{0.0, "[H]", "nowhere"}, Code: "D3137"},                                                         // NaN
		{Function: "fromMillis", Args: []any{0.0, "[q1]"}, Code: "D3132"},                                                                   // undefined
		{Function: "fromMillis", Args: []any{1e16, "[Y]"}, Code: "size"},                                                                    // NaN
		{Function: "fromMillis", Args: []any{0.0, "[Y1,1000000000]"}, Code: "size"},                                                         // 1 GB
		{Function: "toMillis", Args: []any{"2018-03-23 -0330", "[Y]-[M]-[D] [Z0101]"}, Value: 1521775800000.0},                              // an hour off
		{Function: "toMillis", Args: []any{"1 MARCH 2018", "[D] [MN] [Y]"}, Value: 1519862400000.0},                                         // D3136
		{Function: "toMillis", Args: []any{"2018-82 10", "[Y]-[d] [H]"}, Value: 1521799200000.0},                                            // D3136
		{Function: "toMillis", Args: []any{"3 Mai 2018", "[D] [MNn] [Y]"}, Nothing: true},                                                   // D3136
		{Function: "parseInteger", Args: []any{"1,5", "#.##0"}, Value: 1.0},                                                                 // 15
		{Function: "toMillis", Args: []any{"Mardi, 5 June 2018", "[FNn], [D] [MNn] [Y]"}, Value: 1528156800000.0},                           // the same
		{Function: "toMillis", Args: []any{"2018-02-30"}, Code: "D3110"},                                                                    // 2018-03-02
		{Function: "toMillis", Args: []any{"2018-13-01"}, Code: "D3110"},                                                                    // NaN
		{Function: "toMillis", Args: []any{"2018.5"}, Code: "D3110"},                                                                        // 2018-05-01
		{Function: "toMillis", Args: []any{"10:33", "[H]:[m]"}, Value: float64(time.Date(2026, 5, 17, 10, 33, 0, 0, time.UTC).UnixMilli())}, // of today: 2026-05-17T10:33
	} {
		value, nothing, code := c.answer()
		if value != c.Value || nothing != c.Nothing || code != c.Code {
			t.Errorf("$%s(%q) is %v %s, want %v %s", c.Function, c.Args, value, code, c.Value, c.Code)
		}
	}
}

func FuzzPictures(f *testing.F) {
	f.Add(isoTimePicture, "2018-03-23T10:33:36.617Z", 1.5e12)
	f.Add("[FNn], [D1o] [MNn,3-3] [YWw] [Z0101t]", "#,##0;o", -5.5)
	f.Add("Ww;o", "twelve", 12.0)
	f.Fuzz(func(t *testing.T, picture, text string, n float64) {
		if len(picture) > maxPicture {
			t.Skip()
		}
		integerText(n, picture)
		integerOf(text, picture)
		timeText(n, picture, text)
		timeOf(text, picture, time.UnixMilli(0))
		isoTimeOf(text)
	})
}
