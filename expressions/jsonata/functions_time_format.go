package jsonata

import (
	"math"
	"strings"
	"time"
)

// maxTime is how far from 1970 a time is, in milliseconds, as in JavaScript.
const maxTime = 8.64e15

// timeText is $fromMillis(millis, picture, zone). An empty zone is UTC; else it is an
// offset such as +0100 or +01:00, or a name such as Europe/London.
func timeText(millis float64, picture, zone string) (string, error) {
	parts, err := parseTimePicture(picture)
	if err != nil {
		return "", err
	}
	if !(math.Abs(millis) <= maxTime) {
		return "", errFarTime
	}
	location, ok := parseZone(zone)
	if !ok {
		return "", &pictureError{Code: "D3137", Message: "the time zone is neither an offset such as +0100 nor the name of a time zone"}
	}
	at := time.UnixMilli(int64(millis)).In(location)
	var b strings.Builder
	for i := range parts {
		text, err := parts[i].format(at)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// parseZone reads a time zone: up to four digits are hours and minutes.
func parseZone(zone string) (*time.Location, bool) {
	if zone == "Z" {
		return time.UTC, true
	}
	text := strings.TrimLeft(zone, "+-")
	if hours, minutes, ok := strings.Cut(text, ":"); ok && len(minutes) == 2 {
		text = hours + minutes
	}
	if len(zone)-len(strings.TrimLeft(zone, "+-")) > 1 || text == "" || len(text) > 4 || strings.Trim(text, "0123456789") != "" {
		location, err := time.LoadLocation(zone)
		return location, err == nil
	}
	offset := width(text)/100*60 + width(text)%100
	if zone[0] == '-' {
		offset = -offset
	}
	return time.FixedZone("", offset*60), true
}

func (p *timePart) format(at time.Time) (string, error) {
	switch p.component {
	case 0:
		return p.literal, nil
	case 'Z', 'z':
		return p.formatZone(at)
	case 'C', 'E':
		return "ISO", nil
	case 'P':
		text := "am"
		if at.Hour() >= 12 {
			text = "pm"
		}
		if p.names == upperName {
			text = strings.ToUpper(text)
		}
		return text, nil
	}
	value := timeFragment(at, p.component)
	if p.names == noName {
		if p.yearSize > 0 {
			value = math.Mod(value, math.Pow(10, float64(p.yearSize)))
		}
		return p.integer.format(value)
	}
	names := p.nameTable()
	if names == nil {
		return "", pictureFault("D3133")
	}
	name := names[int(value)-1]
	switch p.names {
	case upperName:
		name = strings.ToUpper(name)
	case lowerName:
		name = strings.ToLower(name)
	}
	if p.maxWidth > 0 && len(name) > p.maxWidth {
		name = name[:p.maxWidth]
	}
	return name, nil
}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
)

// nameTable are the names of the component's values, from 1; nil when it has none.
func (p *timePart) nameTable() []string {
	switch p.component {
	case 'M', 'x':
		return monthNames
	case 'F':
		return dayNames
	}
	return nil
}

// formatZone writes the offset from UTC, as +01:00, GMT+1 and so on.
func (p *timePart) formatZone(at time.Time) (string, error) {
	_, seconds := at.Zone()
	minutes := seconds / 60
	if minutes == 0 && p.zulu {
		return "Z", nil
	}
	sign := "+"
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	if p.component == 'z' {
		sign = "GMT" + sign
	}
	hours, minutes := minutes/60, minutes%60
	digits := p.integer.mandatory
	if p.integer.regular > 0 || digits == 3 || digits == 4 {
		text, err := p.integer.format(float64(hours*100 + minutes))
		return sign + text, err
	}
	if p.integer.style != styleDigits || digits > 2 {
		return "", pictureFault("D3134")
	}
	text, err := p.integer.format(float64(hours))
	if minutes > 0 {
		text += ":" + string([]byte{'0' + byte(minutes/10), '0' + byte(minutes%10)})
	}
	return sign + text, err
}

// timeFragment is the number of a component of a time. Weeks begin on Monday and belong
// to the month, and year, of their Thursday.
func timeFragment(at time.Time, component byte) float64 {
	weekday := (int(at.Weekday())+6)%7 + 1 // from 1, Monday
	thursday := at.AddDate(0, 0, 4-weekday)
	n := 0
	switch component {
	case 'Y':
		n = at.Year()
	case 'M':
		n = int(at.Month())
	case 'D':
		n = at.Day()
	case 'd':
		n = at.YearDay()
	case 'F':
		n = weekday
	case 'W':
		n = (thursday.YearDay()-1)/7 + 1
	case 'w':
		n = (thursday.Day()-1)/7 + 1
	case 'X':
		n = thursday.Year()
	case 'x':
		n = int(thursday.Month())
	case 'H':
		n = at.Hour()
	case 'h':
		n = (at.Hour()+11)%12 + 1
	case 'm':
		n = at.Minute()
	case 's':
		n = at.Second()
	case 'f':
		n = at.Nanosecond() / 1_000_000
	}
	return float64(n)
}
