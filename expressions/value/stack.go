package value

import "slices"

// Stack has the arguments of the open calls of an evaluation, which are no allocation each then. The zero Stack is empty.
type Stack struct{ all []any }

// mostStacked is how many arguments a stack of an evaluation that has ended has room for at most.
const mostStacked = 64

// Top is where the next arguments are; Cut takes it.
func (s *Stack) Top() int { return len(s.all) }

// Reserve returns an empty slice with room for so many values, on top of the stack.
func (s *Stack) Reserve(room int) []any {
	top := len(s.all)
	s.all = slices.Grow(s.all, room)[:top+room]
	return s.all[top : top : top+room]
}

// Cut takes away what is on the stack from top on.
func (s *Stack) Cut(top int) {
	clear(s.all[top:])
	s.all = s.all[:top]
}

// Emptied returns the stack for another evaluation: it holds no values, and not much room.
func (s *Stack) Emptied() Stack {
	if s.Cut(0); cap(s.all) > mostStacked {
		return Stack{}
	}
	return *s
}
