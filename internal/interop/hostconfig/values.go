package hostconfig

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"toolgraph/config"
)

// get returns the value of a key that is understood; nil when it is missing or null.
func (e *entryReader) get(key string) *config.Data {
	key = e.host.entry.name(key)
	e.read = append(e.read, key)
	if d := e.data.Get(key); d != nil && !isNull(d) {
		return d
	}
	return nil
}

func isNull(d *config.Data) bool { return d.Kind == config.KindScalar && d.Scalar == nil }

func (e *entryReader) text(key string) (text config.Text, has bool) {
	d := e.get(key)
	if d == nil {
		return text, false
	}
	if _, isText := d.Scalar.(string); !isText {
		e.leave(d.Pos, "%s is %s, expected text", key, kindOf(d))
	}
	return d.Text, true
}

func (e *entryReader) flag(key string) (on, has bool) {
	d := e.get(key)
	if d == nil {
		return false, false
	}
	on, has = d.Scalar.(bool)
	if !has {
		e.leave(d.Pos, "%s is %s, expected true or false", key, kindOf(d))
	}
	return on, has
}

func (e *entryReader) list(key string) []*config.Data {
	d := e.get(key)
	if d == nil {
		return nil
	}
	if d.Kind != config.KindArray {
		e.leave(d.Pos, "%s is %s, expected a list", key, kindOf(d))
	}
	return d.Items
}

// duration returns a number of units in milliseconds, 0 when the key is missing. It is at most an
// hour, as in a registry.
func (e *entryReader) duration(key string, unit time.Duration) int64 {
	d := e.get(key)
	if d == nil {
		return 0
	}
	var n float64
	switch v := d.Scalar.(type) {
	case float64:
		n = v
	case json.Number:
		n, _ = v.Float64() // an infinity when it is too large
	default:
		e.leave(d.Pos, "%s is %s, expected a number", key, kindOf(d))
		return 0
	}
	ms := n * float64(unit/time.Millisecond)
	if math.IsNaN(ms) || ms < 1 {
		return 0
	}
	return int64(min(ms, float64(time.Hour/time.Millisecond)))
}

// textOf returns the text of a value; d may be nil.
func textOf(d *config.Data) (text string, ok bool) {
	if d == nil {
		return "", false
	}
	text, ok = d.Scalar.(string)
	return text, ok
}

// looseText returns a text, or a number or boolean as hosts accept them for one.
func looseText(d *config.Data) (config.Text, bool) {
	text := config.Text{Pos: d.Pos}
	if d.Kind != config.KindScalar {
		return text, false
	}
	switch v := d.Scalar.(type) {
	case string:
		text.Value = v
	case bool:
		text.Value = strconv.FormatBool(v)
	case json.Number:
		text.Value = v.String()
	case float64:
		text.Value = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return text, false
	}
	return text, true
}
