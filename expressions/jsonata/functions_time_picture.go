package jsonata

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"toolgraph/expressions/value"
)

// isoTimePicture is the picture of times without one.
const isoTimePicture = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]"

// maxMarkers is how many components a picture has; each makes reading a text slower.
const maxMarkers = 40

// timePart is a component of a time, such as [Y0001], or the text between two.
type timePart struct {
	component byte // 0: literal
	literal   string
	names     nameCase        // the component's name is written, not its number
	integer   *integerPicture // how the number is written; nil for names
	zulu      bool            // Z for UTC
	maxWidth  int             // of a name; 0: any
	yearSize  int             // the last digits of the year; 0: all
	readWidth int             // how many digits are read; 0: any
}

type nameCase int

const (
	noName nameCase = iota
	lowerName
	upperName
	titleName
)

// defaultPresentations are what components without a presentation are written like.
var defaultPresentations = sync.OnceValue(func() map[byte]string {
	return map[byte]string{
		'Y': "1", 'M': "1", 'D': "1", 'd': "1", 'F': "n", 'W': "1", 'w': "1", 'X': "1", 'x': "1", 'H': "1", 'h': "1",
		'P': "n", 'm': "01", 's': "01", 'f': "1", 'Z': "01:01", 'z': "01:01", 'C': "n", 'E': "n",
	}
})

// parseTimePicture reads a picture of $fromMillis and $toMillis.
func parseTimePicture(picture string) ([]timePart, error) {
	var parts []timePart
	literal := func(text string) {
		if text != "" {
			parts = append(parts, timePart{literal: strings.ReplaceAll(text, "]]", "]")})
		}
	}
	markers := 0
	for {
		open := strings.IndexByte(picture, '[')
		if open < 0 {
			literal(picture)
			return parts, nil
		}
		literal(picture[:open])
		picture = picture[open:]
		if strings.HasPrefix(picture, "[[") {
			parts = append(parts, timePart{literal: "["})
			picture = picture[2:]
			continue
		}
		end := strings.IndexByte(picture, ']')
		if end < 0 {
			return nil, pictureFault("D3135")
		}
		if markers++; markers > maxMarkers {
			return nil, &pictureError{Code: "size", Message: "a picture has at most " + strconv.Itoa(maxMarkers) + " components"}
		}
		part, err := newTimePart(picture[1:end])
		if err != nil {
			return nil, err
		}
		// Two numbers without anything between them: the first one has its own width.
		if n := len(parts); n > 0 && part.integer != nil && !part.isZone() && parts[n-1].integer != nil {
			parts[n-1].readWidth = parts[n-1].integer.mandatory
		}
		parts = append(parts, part)
		picture = picture[end+1:]
	}
}

func (p *timePart) isZone() bool { return p.component == 'Z' || p.component == 'z' }

// newTimePart reads what stands between two brackets.
func newTimePart(marker string) (timePart, error) {
	marker = strings.Map(func(r rune) rune {
		if value.IsScriptSpace(r) {
			return -1
		}
		return r
	}, marker)
	if marker == "" || defaultPresentations()[marker[0]] == "" {
		return timePart{}, pictureFault("D3132")
	}
	p := timePart{component: marker[0]}
	presentation := marker[1:]
	minWidth := 0
	if comma := strings.LastIndexByte(presentation, ','); comma >= 0 {
		least, most, _ := strings.Cut(presentation[comma+1:], "-")
		minWidth, p.maxWidth = width(least), width(most)
		presentation = presentation[:comma]
	}
	if minWidth > maxPicture || p.maxWidth > maxPicture {
		return timePart{}, errWide
	}
	modifier := ""
	if last := len(presentation) - 1; last > 0 && strings.IndexByte("atco", presentation[last]) >= 0 {
		presentation, modifier = presentation[:last], presentation[last:]
	}
	if presentation == "" {
		presentation = defaultPresentations()[p.component]
	}
	p.zulu = modifier == "t"
	switch {
	case p.isZone():
		var err error
		p.integer, err = newIntegerPicture(presentation)
		return p, err
	case strings.HasPrefix(presentation, "Nn"):
		p.names = titleName
	case presentation[0] == 'N':
		p.names = upperName
	case presentation[0] == 'n':
		p.names = lowerName
	case strings.IndexByte("PCE", p.component) < 0:
		return p, p.number(presentation+";"+modifier, minWidth)
	}
	return p, nil
}

// number sets how the number of a component is written.
func (p *timePart) number(picture string, minWidth int) (err error) {
	if p.integer, err = newIntegerPicture(picture); err != nil {
		return err
	}
	n := p.integer
	n.mandatory = max(n.mandatory, minWidth)
	if p.component != 'Y' {
		return nil
	}
	switch size := n.mandatory + n.optional; {
	case p.maxWidth > 0:
		p.yearSize, n.mandatory = p.maxWidth, p.maxWidth
	case n.style == styleDigits && size >= 2:
		p.yearSize = size
	}
	return nil
}

// width is the number at the start of a text; 0 when there is none.
func width(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.Atoi(text[:digits])
	if err != nil && digits > 0 {
		return math.MaxInt
	}
	return n
}
