package config

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"toolgraph/internal/base/wording"
)

// scalarProblem says why a plain scalar has no value. write is the number that was meant, or "".
type scalarProblem struct{ code, message, hint, write string }

// ambiguous reports the problem of a scalar.
func (d *decoder) ambiguous(it *item, p *scalarProblem) {
	found := d.found.Add(it.pos, p.code, p.message, p.hint).Over(it.text)
	if p.write != "" {
		found.Fixed(WriteScalar("Write "+p.write, it.text, p.write))
	}
	found.Fixed(Quote(it.text))
}

var (
	decimal     = wording.Pattern(`^[-+]?[0-9]+$`)
	float       = wording.Pattern(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	based       = wording.Pattern(`^[-+]?0(x[0-9a-fA-F]+|o[0-7]+|b[01]+)$`)
	leadingZero = wording.Pattern(`^[-+]?0[0-9]+$`)
	underscored = wording.Pattern(`^[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?$`)
	nonFinite   = wording.Pattern(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

const maxExact = 1 << 53 // integers up to it are exact as float64

// resolvePlain returns the value of a plain scalar in YAML 1.2: nil, a bool, a float64, a
// json.Number (an integer beyond 2^53) or a string. Dates, yes and on are strings. Numbers that
// versions of YAML read differently, or that JSON cannot represent, are problems.
func resolvePlain(s string) (any, *scalarProblem) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil, nil
	case "true", "True", "TRUE":
		return true, nil
	case "false", "False", "FALSE":
		return false, nil
	}
	if c := s[0]; c != '.' && c != '-' && c != '+' && (c < '0' || c > '9') {
		return s, nil
	}
	if strings.Count(s, ".") > 1 || !strings.ContainsAny(s, "0123456789iInN") {
		return s, nil // a version or a path, not a number
	}
	switch {
	case nonFinite().MatchString(s):
		return nil, &scalarProblem{"non-finite-number", fmt.Sprintf("found %s, which JSON cannot represent, expected a finite number", s), "quote it if it is meant as text", ""}
	case leadingZero().MatchString(s):
		return nil, leadingZeroProblem(s)
	case underscored().MatchString(s):
		plain := strings.ReplaceAll(s, "_", "")
		return nil, &scalarProblem{
			"ambiguous-number", fmt.Sprintf("%s is a number in some YAML readers and text in others", s),
			fmt.Sprintf("write %s, or quote it if it is meant as text", plain), plain,
		}
	case decimal().MatchString(s):
		return integer(s, 10), nil
	case based().MatchString(s):
		return basedInteger(s), nil
	case float().MatchString(s):
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(v, 0) {
			return nil, &scalarProblem{"non-finite-number", fmt.Sprintf("%s is too large, expected at most 1.8e308", wording.Shorten(s)), "quote it if it is meant as text", ""}
		}
		return v, nil
	}
	return s, nil
}

func leadingZeroProblem(s string) *scalarProblem {
	digits := strings.TrimLeft(s, "+-")
	number := orZero(strings.TrimLeft(digits, "0"))
	hint := fmt.Sprintf("write %s, or quote it if it is meant as text", number)
	if !strings.ContainsAny(digits, "89") {
		number = "0o" + number
		hint = fmt.Sprintf("write %s or quote it", number)
	}
	return &scalarProblem{"ambiguous-number", wording.Shorten(s) + " is an ambiguous number: octal in some YAML readers, decimal in others", wording.Shorten(hint), number}
}

func orZero(digits string) string {
	if digits == "" {
		return "0"
	}
	return digits
}

func basedInteger(s string) any {
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	return integer(sign+s[2:], map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]])
}

func integer(s string, base int) any {
	if n, err := strconv.ParseInt(s, base, 64); err == nil && -maxExact <= n && n <= maxExact {
		return float64(n)
	}
	if base == 10 {
		return json.Number(strings.TrimPrefix(s, "+"))
	}
	n, _ := new(big.Int).SetString(s, base) // the pattern matches numbers alone
	return json.Number(n.String())
}
