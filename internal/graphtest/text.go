package graphtest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
	"toolgraph/internal/wording"
)

// encoded is a value as JSON, short enough for a message.
func encoded(v value.Value) string {
	src, err := value.Encode(v)
	if err != nil {
		return err.Error()
	}
	const most = 400
	if len(src) > most {
		return strings.ToValidUTF8(string(src[:most]), "") + "…"
	}
	return string(src)
}

var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w.-]*$`) })

// quoteKey is a key as it can stand in YAML.
func quoteKey(key string) string {
	if plainKey().MatchString(key) {
		return key
	}
	return strconv.Quote(key)
}

// Text is why a case failed, for people: each problem with its place, the path that the
// run walked, and where it first left the expected way.
func (r *Result) Text() string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(p.Pos.String() + ": " + p.Text() + "\n")
	}
	if len(r.Records) > 0 && !strings.Contains(b.String(), "\npath: ") { // a failure tells its own
		b.WriteString("path: " + PathText(r.Path()) + "\n")
	}
	if r.Divergence != "" {
		b.WriteString("first divergence: " + r.Divergence + "\n")
	}
	return b.String()
}

// changesShown is how many differences a text tells.
const changesShown = 12

// Text is the problem for people: the message, and what differs, a line each.
func (p Problem) Text() string {
	var b strings.Builder
	b.WriteString(p.Message)
	for i, c := range p.Changes {
		if i == changesShown {
			b.WriteString("\n  and " + strconv.Itoa(len(p.Changes)-i) + " more differences")
			break
		}
		b.WriteString("\n  " + p.changeText(c))
	}
	return b.String()
}

func (p Problem) changeText(c diff.Change) string {
	where := c.Path
	if where == "" {
		where = "the value"
	}
	older, isText := c.Old.(string)
	newer, bothText := c.New.(string)
	if isText && bothText && strings.Count(older, "\n")+strings.Count(newer, "\n") > 1 {
		return where + ":\n    " + strings.ReplaceAll(strings.TrimRight(diff.Text(p.Older, older, p.Newer, newer), "\n"), "\n", "\n    ")
	}
	return where + ": " + p.Older + " " + shown(c.Old) + ", " + p.Newer + " " + shown(c.New)
}

// shown is a value in a line of a difference.
func shown(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	src, err := value.Encode(v)
	if err != nil {
		return err.Error()
	}
	return wording.Shorten(string(src))
}
