package habit

import (
	"hash/fnv"
	"strings"
	"time"
	"unicode"

	"toolgraph/expressions/value"
)

// Act is what one client did at one moment: a call, or a plan with several.
type Act struct {
	Name    string      // SERVER.TOOL; of a plan its shape, the same for plans that differ in literals only
	Tools   []string    // what it called, in order, * after one that is repeated
	Time    time.Time   // zero: not known
	Args    value.Value // of a plan its literals
	Result  value.Value // nil: it has none
	Plan    bool        // several calls in one request
	Written int         // bytes of the request of a plan
	Failed  bool        // it is no part of a habit
	Ref     Ref         // where its values are
	Apart   int         // the number of its session: a chain is within one
}

// Ref says where the values of an act are: for a run its id, for a transcript the number of the call.
type Ref struct {
	Run string
	At  int
}

// The bounds of the search for links.
const (
	window    = 400              // acts after which an answer is forgotten
	longest   = 10 * time.Minute // between an act and the next one of the same chain
	longWord  = 200              // bytes of a value that may be a link
	filterLen = 1 << 20          // counters of how many answers have a word
)

// act is what is remembered of an Act.
type act struct {
	name   int32
	time   time.Time
	ref    Ref
	mark   uint64 // of name and arguments
	links  []link
	failed bool
	plan   bool
	bytes  int
	apart  int

	written int
}

// link says that an argument of an act was in what was known of an earlier one.
type link struct {
	from  int32  // the earlier act
	param uint32 // where the value is: tool and argument
	value uint64
	word  uint64 // what was found: the value or a part of it
	given bool   // it was an argument there, and not in the answer
}

// stream is the acts of one client in the order of time. Nothing of their values is remembered but hashes.
type stream struct {
	names   []string
	byName  map[string]int32
	tools   map[int32][]string
	params  map[string]uint32
	acts    []act
	answers generations // words of answers
	given   generations // values of arguments
	common  []uint8     // how many answers have a word
	uses    map[paramValue]int
	usesOf  map[uint32]int
}

// paramValue is a value of an argument, to count how often it is given.
type paramValue struct {
	param uint32
	value uint64
}

// generations find the latest act with a word, among the last ones.
type generations struct {
	now, before map[uint64]int32
	since       int
}

// turn forgets the words of acts that are too far back, once enough others have come.
func (g *generations) turn(acts int) {
	if g.now == nil || acts-g.since >= window/2 {
		g.before, g.now, g.since = g.now, map[uint64]int32{}, acts
	}
}

// get returns the latest act with a word.
func (g *generations) get(word uint64) (int32, bool) {
	if at, is := g.now[word]; is {
		return at, true
	}
	at, is := g.before[word]
	return at, is
}

// newStream returns the acts of a client that has done nothing yet.
func newStream() *stream {
	return &stream{
		byName: map[string]int32{}, tools: map[int32][]string{}, params: map[string]uint32{},
		common: make([]uint8, filterLen), uses: map[paramValue]int{}, usesOf: map[uint32]int{},
	}
}

// add takes the next act.
func (s *stream) add(a Act) {
	at := int32(len(s.acts)) //nolint:gosec // bounded by the store
	s.answers.turn(len(s.acts))
	s.given.turn(len(s.acts))
	one := act{name: s.name(a), time: a.Time, ref: a.Ref, failed: a.Failed, plan: a.Plan, bytes: value.Size(a.Result), written: a.Written, apart: a.Apart}
	one.mark = hash(a.Name)
	eachScalar("", a.Args, 0, func(path string, v value.Value) {
		text, word := wordOf(v)
		one.mark = one.mark*31 + hash(path+"\x00"+text)
		if !word || a.Failed {
			return
		}
		s.link(&one, a.Name+path, text)
	})
	s.acts = append(s.acts, one)
	if a.Failed {
		return
	}
	eachScalar("", a.Args, 0, func(_ string, v value.Value) {
		if text, word := wordOf(v); word {
			s.given.now[hash(text)] = at
		}
	})
	seen := map[uint64]bool{}
	eachScalar("", a.Result, 0, func(_ string, v value.Value) {
		eachWord(linkText(v), func(word string) {
			mark := hash(word)
			s.answers.now[mark] = at
			if place := mark % filterLen; !seen[mark] && s.common[place] < 255 {
				s.common[place]++
			}
			seen[mark] = true
		})
	})
}

// name returns the number of the name of an act, and remembers its tools.
func (s *stream) name(a Act) int32 {
	number, is := s.byName[a.Name]
	if !is {
		number = int32(len(s.names)) //nolint:gosec // bounded by the store
		s.byName[a.Name] = number
		s.names, s.tools[number] = append(s.names, a.Name), a.Tools
	}
	return number
}

// hash is how a text is remembered: in the same way each time, as words that share a counter decide what a link is.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// link notes where the value of an argument was before: whole, or the longest part of it that was.
func (s *stream) link(one *act, param, text string) {
	number, is := s.params[param]
	if !is {
		number = uint32(len(s.params)) //nolint:gosec // bounded by the store
		s.params[param] = number
	}
	s.usesOf[number]++
	s.uses[paramValue{number, hash(text)}]++
	found := false
	eachWord(text, func(word string) {
		mark := hash(word)
		if from, is := s.answers.get(mark); is && !found {
			found = true
			one.links = append(one.links, link{from: from, param: number, value: hash(text), word: mark})
		}
	})
	if from, is := s.given.get(hash(text)); is && !found {
		one.links = append(one.links, link{from: from, param: number, value: hash(text), word: hash(text), given: true})
	}
}

// wordOf returns the text of a value, and whether it may be a link: it is short, and no sentence.
func wordOf(v value.Value) (text string, word bool) {
	text = linkText(v)
	return text, len(text) <= longWord && !isTrivial(v) && strings.Count(text, " ") < mostWords-1 && !strings.Contains(text, "\n")
}

// linkText is the text of a text or a number.
func linkText(v value.Value) string {
	if n, isNumber := v.(float64); isNumber {
		return value.NumberText(n)
	}
	return plainText(v)
}

// eachWord gives a text, its parts between spaces, and the parts of these between other signs, to found: those that are
// long enough to be found by no chance.
func eachWord(text string, found func(string)) {
	if len(text) >= leastText && len(text) <= longWord {
		found(text)
	}
	for part := range strings.FieldsSeq(text) {
		part = strings.Trim(part, `.,;:!?()[]{}"'<>|*#`+"`")
		if len(part) >= leastText && len(part) <= longWord && part != text {
			found(part)
		}
		for word := range strings.FieldsFuncSeq(part, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if word != part && isTelling(word) {
				found(word)
			}
		}
	}
}

// isTelling reports whether a word is one that is not found by chance.
func isTelling(word string) bool {
	return len(word) >= 6 || len(word) >= leastText && strings.ContainsAny(word, "0123456789")
}
