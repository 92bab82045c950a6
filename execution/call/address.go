package call

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
)

// Address names an execution by its place in a run:
//
//	4          execution 4 of the run's own graph
//	4.3        its part 3: item 3 of a forEach
//	4.weather  its branch of that name
//	4/1        execution 1 in the frame of graph node 4
//	4.3/1      execution 1 in the frame of part 3
//	1.texts    step texts of a tool that is written as steps
//	1.texts.3  that step for item 3, from 0
//	1.job@2    turn 2, from 1, of a step that is repeated
//	1.users.3.job@2    and a step of a block, for an item of the block
//
// and so on inward. The empty address is the run's own frame. Equal executions of equal runs
// have equal addresses, whatever runs at the same time.
type Address string

// AddressOf returns the address of an execution, or of a part of it when part is not empty. frame
// is the address of the frame.
func AddressOf(frame Address, index int, part string) Address {
	b := make([]byte, 0, 64)
	if frame != "" {
		b = append(append(b, frame...), '/')
	}
	b = strconv.AppendInt(b, int64(index), 10)
	if part != "" {
		b = append(append(b, '.'), part...)
	}
	return Address(b)
}

// ParseAddress checks an address that a user wrote.
func ParseAddress(text string) (Address, error) {
	for step := range strings.SplitSeq(text, "/") {
		index, part, hasPart := strings.Cut(step, ".")
		if !IsItem(index) || hasPart && !IsPart(part) {
			return "", fmt.Errorf("%q is not the address of a step, expected one such as 4, 4.3 or 4.3/1", text)
		}
	}
	return Address(text), nil
}

// IsItem reports whether a part is an item of a forEach: its name is a number, from 0.
func IsItem(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && strconv.Itoa(n) == s
}

// IsPart reports whether a text can be the part of an address: an item, a branch, or the path of a step, in
// which an item follows a name, and a turn either.
func IsPart(s string) bool {
	before := false // the one before is a name
	for i, one := range strings.Split(s, ".") {
		name, turn, repeated := strings.Cut(one, "@")
		if repeated && (!IsItem(turn) || turn == "0") {
			return false
		}
		switch {
		case IsBranch(name):
			before = true
		case IsItem(name) && (before || i == 0 && s == name):
			before = false
		default:
			return false
		}
	}
	return true
}

// Outer returns the address of what an execution is a part of: the step of an item, the item of a turn,
// the whole execution of a branch; a itself when it is no part.
func (a Address) Outer() Address {
	frame := strings.LastIndexByte(string(a), '/') + 1
	if i := strings.LastIndexAny(string(a[frame:]), ".@"); i >= 0 {
		return a[:frame+i]
	}
	return a
}

// Around returns the address of what an execution is directly in: what it is a part of, or what entered its
// frame; empty for one of the run's own frame.
func (a Address) Around() Address {
	if outer := a.Outer(); outer != a {
		return outer
	}
	return a.Frame()
}

// IsBranch reports whether a part can be a branch: its name is an identifier.
func IsBranch(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// Split returns the frame of an execution, its index in the frame, and its part; empty for
// a whole execution.
func (a Address) Split() (frame Address, index int, part string) {
	own := string(a)
	if i := strings.LastIndexByte(own, '/'); i >= 0 {
		frame, own = a[:i], own[i+1:]
	}
	number, part, _ := strings.Cut(own, ".")
	index, _ = strconv.Atoi(number)
	return frame, index, part
}

// Frame returns the address of the frame; empty for the run's own.
func (a Address) Frame() Address {
	frame, _, _ := a.Split()
	return frame
}

// Outermost returns the index of the execution of the run's own frame that is a, or that a is below.
func (a Address) Outermost() int {
	index, _ := a.IndexIn("")
	return index
}

// IndexIn returns the index of the execution of a frame that is a, or that a is below; below is
// false when there is none.
func (a Address) IndexIn(frame Address) (index int, below bool) {
	if frame != "" {
		rest, inside := strings.CutPrefix(string(a), string(frame)+"/")
		if !inside {
			return 0, false
		}
		a = Address(rest)
	}
	own, _, _ := strings.Cut(string(a), "/")
	_, index, _ = Address(own).Split()
	return index, true
}

// Depth returns how many frames are around the execution, the run's own included.
func (a Address) Depth() int { return strings.Count(string(a), "/") + 1 }

// Contains reports whether other is below a: in its frame, or its part, or in the frame of its
// part, at any depth. An address does not contain itself.
func (a Address) Contains(other Address) bool {
	if a == "" {
		return other != ""
	}
	rest, below := strings.CutPrefix(string(other), string(a))
	if !below || rest == "" {
		return false
	}
	return rest[0] == '/' || rest[0] == '.' || rest[0] == '@'
}

// Covers reports whether other is a or below it.
func (a Address) Covers(other Address) bool { return a == other || a.Contains(other) }

// Compare orders addresses as a history is shown: by place, and what is below an execution before
// the execution itself, since it ends earlier. Items are in their order, branches by name.
func (a Address) Compare(b Address) int {
	x, y := string(a), string(b)
	for x != "" && y != "" {
		var first, second string
		first, x, _ = strings.Cut(x, "/")
		second, y, _ = strings.Cut(y, "/")
		if order := compareSteps(first, second, x, y); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(y), len(x)) // the longer one is inside the other
}

// CompareIn is Compare with branches and steps in the order of the file: names returns those of an execution
// in that order, nil where they are not known.
func (a Address) CompareIn(b Address, names func(Address) []string) int {
	x, y := a.path(), b.path()
	for i := 1; i < min(len(x), len(y)); i++ {
		if x[i] == y[i] {
			continue
		}
		if outer := x[i-1]; x[i-1] == y[i-1] && x[i].Outer() == outer && y[i].Outer() == outer {
			all := names(outer)
			if m, n := slices.Index(all, x[i].Name()), slices.Index(all, y[i].Name()); m >= 0 && n >= 0 {
				return m - n
			}
		}
		break
	}
	return a.Compare(b)
}

// path returns the executions around an address, outermost first, and itself.
func (a Address) path() (all []Address) {
	for ; a != ""; a = a.Around() {
		all = append(all, a)
	}
	slices.Reverse(all)
	return all
}

// Name returns the last part of an address: the number of an item or a turn, the name of a branch or a step;
// empty for a whole execution.
func (a Address) Name() string {
	outer := a.Outer()
	if outer == a {
		return ""
	}
	return string(a[len(outer)+1:])
}

// IsCounted reports whether an address is that of an item or a turn: its last name is a number.
func (a Address) IsCounted() bool {
	_, err := strconv.Atoi(a.Name())
	return err == nil
}

// compareSteps compares one step of two addresses; x and y are what follows them.
func compareSteps(a, b, x, y string) int {
	index, part, _ := strings.Cut(a, ".")
	otherIndex, otherPart, _ := strings.Cut(b, ".")
	switch {
	case index != otherIndex:
		return compareNumbers(index, otherIndex)
	case part == otherPart:
		return 0
	case part == "" && x == "":
		return 1 // the whole execution comes after its parts
	case otherPart == "" && y == "":
		return -1
	}
	return compareParts(part, otherPart, x, y)
}

// compareParts compares two different parts; x and y are what follows them.
func compareParts(a, b, x, y string) int {
	for {
		one, rest, _ := strings.Cut(a, ".")
		other, otherRest, _ := strings.Cut(b, ".")
		name, turn, _ := strings.Cut(one, "@")
		otherName, otherTurn, _ := strings.Cut(other, "@")
		switch {
		case name != otherName && IsItem(name) && IsItem(otherName):
			return compareNumbers(name, otherName)
		case name != otherName:
			return cmp.Compare(name, otherName)
		case turn != otherTurn && (turn == "" && rest == "" && x == "" || otherTurn == "" && otherRest == "" && y == ""):
			return cmp.Compare(len(otherTurn), len(turn)) // the whole comes after its turns
		case turn != otherTurn:
			return compareNumbers(turn, otherTurn)
		case rest == "":
			return 1 // the whole comes after its parts
		case otherRest == "":
			return -1
		}
		a, b = rest, otherRest
	}
}

// compareNumbers compares numbers without leading zeros.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// NameOf names a node for mocks, breakpoints, expectations and coverage: its id, a branch as
// facts.weather, a step as users.lookup, a node of another tool as todos_of_file:read.
func NameOf(tool, node, part string) string {
	switch {
	case part != "" && node == config.StepsID:
		node = strings.Join(config.StepIDs(part), ".")
	case part != "" && !IsItem(part):
		node += "." + part
	}
	if tool != "" {
		return tool + ":" + node
	}
	return node
}
