package jsonata

// SyntaxError reports a source that does not compile. Offset is the byte in the source, from 0.
type SyntaxError struct {
	Offset  int
	Token   string // the text found there, or empty
	Message string // lower case: found and expected
	Hint    string // one remedy, or empty
	Fix     *Fix   // what the remedy says, as a change of the source; or nil
}

func (e *SyntaxError) Error() string { return e.Message }

// Error reports an evaluation that failed. Its text contains no values of the context,
// except the words that the author passes to $error and $assert.
type Error struct {
	Code    string // JSONata's code (T2001 …) or Toolgraph's (timeout, depth, size …)
	Message string
	Offset  int    // byte in the source of the failing part; -1 when unknown
	Raised  string // the author's message alone, when $error ended the evaluation; else empty
	Err     error  // the context's cause, or nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns Code.
func (e *Error) ErrorCode() string { return e.Code }
