package journal

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"toolgraph/execution"
)

// usedText is what a run has used as the column facts has it. It is not JSON, because stats reads that of every run:
//
//	calls, bytes in, bytes out; for each server after ; its name, calls and bytes in; after | the chain
//
// with a space between two of them. Names are escaped as in the query of a URL.
type usedText execution.Used

// What is around it in JSON, when a run has no other facts.
const (
	usedOpen  = `{"used":"`
	usedClose = `"}`
)

// onlyUsed returns the text of facts that are nothing else.
func onlyUsed(facts string) (used string, ok bool) {
	used, ok = strings.CutPrefix(facts, usedOpen)
	if ok {
		used, ok = strings.CutSuffix(used, usedClose)
	}
	return used, ok && strings.IndexByte(used, '"') < 0
}

// MarshalText returns the text, which needs no escapes in JSON.
func (u *usedText) MarshalText() ([]byte, error) { return u.append(nil), nil }

// UnmarshalText is the reverse of MarshalText.
func (u *usedText) UnmarshalText(text []byte) error { return u.read(string(text)) }

func (u *usedText) append(dst []byte) []byte {
	numbers := func(all ...int) {
		for _, n := range all {
			dst = strconv.AppendInt(append(dst, ' '), int64(n), 10)
		}
	}
	dst = strconv.AppendInt(dst, int64(u.Calls), 10)
	numbers(u.BytesIn, u.BytesOut)
	for _, s := range u.Servers {
		dst = append(append(dst, ';'), url.QueryEscape(s.Server)...)
		numbers(s.Calls, s.BytesIn)
	}
	for i, tool := range u.Chain {
		dst = append(dst, "| "[min(i, 1)])
		dst = append(dst, url.QueryEscape(tool)...)
	}
	return dst
}

// read reads a text. The error is that of one that append does not write.
func (u *usedText) read(text string) error {
	*u = usedText{}
	numbers, chain, hasChain := strings.Cut(text, "|")
	all, servers, more := strings.Cut(numbers, ";")
	in := usedReader{}
	u.Calls, u.BytesIn, u.BytesOut = in.number(&all), in.number(&all), in.number(&all)
	in.bad = in.bad || all != ""
	for more && !in.bad {
		var one string
		one, servers, more = strings.Cut(servers, ";")
		u.Servers = append(u.Servers, execution.ServerUse{Server: in.name(&one), Calls: in.number(&one), BytesIn: in.number(&one)})
		in.bad = in.bad || one != ""
	}
	if hasChain {
		u.Chain = make([]string, 0, 1+strings.Count(chain, " "))
	}
	for hasChain && !in.bad && chain != "" {
		u.Chain = append(u.Chain, in.name(&chain))
	}
	if in.bad {
		return fmt.Errorf("%w: the usage is %.100q", errFrame, text)
	}
	return nil
}

// usedReader reads words, and remembers whether one was wrong.
type usedReader struct{ bad bool }

func (r *usedReader) number(rest *string) int {
	var word string
	word, *rest, _ = strings.Cut(*rest, " ")
	n, err := strconv.Atoi(word)
	r.bad = r.bad || err != nil
	return n
}

func (r *usedReader) name(rest *string) string {
	var word string
	word, *rest, _ = strings.Cut(*rest, " ")
	name, err := url.QueryUnescape(word)
	r.bad = r.bad || err != nil
	return name
}
