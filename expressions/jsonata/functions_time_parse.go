package jsonata

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxTimeText is the longest text that is read as a time, in bytes.
const maxTimeText = 1000

// timeOf is $toMillis(text, picture). found is false for a text that is not of that
// form. Components before the first one that the text has are those of now, in UTC;
// components after the last one are the least ones.
func timeOf(text, picture string, now time.Time) (millis float64, found bool, err error) {
	parts, err := parseTimePicture(picture)
	if err != nil {
		return 0, false, err
	}
	if len(text) > maxTimeText {
		return 0, false, &pictureError{Code: "size", Message: "a time has at most 1,000 bytes"}
	}
	var pattern strings.Builder
	pattern.WriteString("(?i)^")
	for i := range parts {
		part, err := parts[i].pattern()
		if err != nil {
			return 0, false, err
		}
		pattern.WriteString("(" + part + ")")
	}
	pattern.WriteString("$")
	matcher, fault := regexp.Compile(pattern.String())
	if fault != nil {
		return 0, false, errWide
	}
	groups := matcher.FindStringSubmatch(text)
	if groups == nil {
		return 0, false, nil
	}
	read := timeComponents{}
	for i := range parts {
		if parts[i].component == 0 {
			continue
		}
		value, ok := parts[i].parse(groups[i+1])
		switch {
		case ok:
			read[parts[i].component] = value
		case parts[i].component != 'F': // the day of the week is not needed
			return 0, false, nil
		}
	}
	if len(read) == 0 {
		return 0, false, nil
	}
	millis, err = read.millis(now.UTC())
	return millis, err == nil, err
}

var wordPattern = sync.OnceValue(func() string {
	words := slices.Sorted(maps.Keys(wordValues()))
	slices.Reverse(words) // the longer of two with the same start is first
	return "(?:" + strings.Join(words, "|") + "|and|[-, ])+"
})

// pattern is the regular expression of a part.
func (p *timePart) pattern() (string, error) {
	switch {
	case p.component == 0:
		return regexp.QuoteMeta(p.literal), nil
	case p.isZone():
		pattern := "[-+][0-9]+"
		if p.component == 'z' {
			pattern = "GMT" + pattern
		}
		if p.integer.regular > 0 {
			pattern += regexp.QuoteMeta(string(p.integer.groups[0].separator)) + "[0-9]+"
		}
		return pattern, nil
	case p.component == 'f':
		return "[0-9]+", nil
	case p.integer == nil:
		if p.nameTable() == nil && p.component != 'P' {
			return "", pictureFault("D3133")
		}
		return "[a-zA-Z]+", nil
	}
	switch p.integer.style {
	case styleLetters:
		return "[A-Z]+", nil
	case styleRoman:
		return "[MDCLXVI]+", nil
	case styleWords:
		return wordPattern(), nil
	case styleDigits:
		pattern := "[0-9]+"
		if p.readWidth > 0 {
			pattern = "[0-9]{" + strconv.Itoa(p.readWidth) + "}"
		}
		if p.integer.ordinal {
			pattern += "(?:th|st|nd|rd)"
		}
		return pattern, nil
	}
	return "", pictureFault("D3130")
}

// parse is the value of a part's text. An offset from UTC is in minutes.
func (p *timePart) parse(text string) (float64, bool) {
	switch {
	case p.isZone():
		return p.parseZone(strings.TrimLeft(text, "GMTgmt"))
	case p.component == 'f':
		fraction, err := strconv.ParseFloat("0."+text[:min(3, len(text))], 64)
		return fraction * 1000, err == nil
	case p.component == 'P':
		half := slices.Index([]string{"am", "pm"}, strings.ToLower(text))
		return float64(half), half >= 0
	case p.integer != nil:
		value, err := p.integer.parse(text)
		return value, err == nil
	}
	for i, name := range p.nameTable() {
		if p.maxWidth > 0 && len(name) > p.maxWidth {
			name = name[:p.maxWidth]
		}
		if strings.EqualFold(name, text) {
			return float64(i + 1), true
		}
	}
	return 0, false
}

// parseZone reads an offset from UTC, with its sign.
func (p *timePart) parseZone(text string) (minutes float64, ok bool) {
	sign, text := text[0], text[1:]
	hours, rest := text, ""
	if p.integer.regular > 0 {
		hours, rest, _ = strings.Cut(text, string(p.integer.groups[0].separator))
	} else if len(text) > 2 {
		hours, rest = text[:2], text[2:]
	}
	if max(len(hours), len(rest)) > 4 {
		return 0, false
	}
	minutes = float64(width(hours)*60 + width(rest))
	if sign == '-' {
		minutes = -minutes
	}
	return minutes, true
}

// timeComponents are the numbers of a time, by component.
type timeComponents map[byte]float64

// reads reports whether, of all these components, only those of the set are present, and at
// least one. As in jsonata-js zeros do not count.
func (c timeComponents) reads(set, all string) bool {
	some := false
	for i := range len(all) {
		if c[all[i]] != 0 {
			if strings.IndexByte(set, all[i]) < 0 {
				return false
			}
			some = true
		}
	}
	return some
}

// millis completes the components from now and returns their time.
func (c timeComponents) millis(now time.Time) (float64, error) {
	const dates, times = "YXMxWwdD", "PHhmsf"
	order, clock := "YMD", "Hmsf"
	switch {
	case c.reads("YMD", dates):
	case c.reads("Yd", dates):
		order = "Yd"
	case c.reads("Xxw", dates), c.reads("XW", dates):
		return 0, pictureFault("D3136")
	}
	if !c.reads("Hmsf", times) && c.reads("Phmsf", times) {
		clock = "Phmsf"
	}
	started, ended := false, false
	for _, component := range []byte(order + clock) {
		_, given := c[component]
		switch {
		case given && ended:
			return 0, pictureFault("D3136")
		case given:
			started = true
		case started:
			ended = true
			if strings.IndexByte("MDd", component) >= 0 {
				c[component] = 1
			}
		default:
			c[component] = timeFragment(now, component)
		}
	}
	if order == "Yd" {
		c['M'], c['D'] = 1, c['d']
	}
	if clock == "Phmsf" {
		c['H'] = math.Mod(c['h'], 12) + 12*c['P']
		if c['h'] > 12 {
			c['H'] = c['h'] + 12*c['P']
		}
	}
	return c.unix()
}

// unix is the time of complete components; components that are too large carry over into the next ones.
func (c timeComponents) unix() (float64, error) {
	for _, value := range c {
		if !(math.Abs(value) <= 1e9) {
			return 0, errFarTime
		}
	}
	n := func(component byte) int { return int(c[component]) }
	year := n('Y')
	if year >= 0 && year <= 99 {
		year += 1900 // as in JavaScript
	}
	offset := c['Z']
	if offset == 0 {
		offset = c['z']
	}
	at := time.Date(year, time.Month(max(1, n('M'))), n('D'), n('H'), n('m')-int(offset), n('s'), n('f')*1_000_000, time.UTC)
	if year > 300_000 || year < -300_000 || math.Abs(float64(at.UnixMilli())) > maxTime {
		return 0, errFarTime
	}
	return float64(at.UnixMilli()), nil
}

var isoTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{4})(?:-([01]\d))?(?:-([0-3]\d))?(?:T([0-2]\d):([0-5]\d):([0-5]\d))?(?:\.(\d+))?(?:([+-])([0-2]\d):?([0-5]\d)|Z)?$`)
})

// isoTimeOf is $toMillis(text): a date, or a date and a time, of ISO 8601. A time
// without an offset is in UTC. A date that does not exist is an error.
func isoTimeOf(text string) (float64, error) {
	groups := isoTime().FindStringSubmatch(text)
	if groups == nil {
		return 0, pictureFault("D3110")
	}
	n := func(i int) int { return width(groups[i]) }
	month, day := max(1, n(2)), max(1, n(3))
	hasTime := groups[4] != ""
	fraction := width((groups[7] + "000")[:3])
	at := time.Date(n(1), time.Month(month), day, n(4), n(5), n(6), fraction*1_000_000, time.UTC)
	date := time.Date(n(1), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	midnight := n(4) == 24 && n(5) == 0 && n(6) == 0 && fraction == 0
	switch {
	case groups[2] == "00", groups[3] == "00", groups[3] != "" && groups[2] == "":
	case int(date.Month()) != month: // no such month, or day of it
	case !hasTime && (groups[7] != "" || groups[8] != ""):
	case n(4) > 23 && !midnight, n(9) > 23:
	default:
		offset := time.Duration(n(9)*60+n(10)) * time.Minute
		if groups[8] == "-" {
			offset = -offset
		}
		return float64(at.Add(-offset).UnixMilli()), nil
	}
	return 0, pictureFault("D3110")
}
