package expressions

// SyntaxError reports a source that does not compile. Offset is the byte in the source, from 0.
type SyntaxError struct {
	Offset  int
	Token   string // the text found there, or empty
	Message string // lower case: found and expected
	Hint    string // one remedy, or empty
}

func (e *SyntaxError) Error() string { return e.Message }

// EvalError reports an evaluation that failed. Its text contains no values of the context,
// except the words that the author passes to $error and $assert.
type EvalError struct {
	Code    string // JSONata's code (T2001 …) or Toolgraph's (timeout, depth, size …)
	Message string
	Offset  int    // byte in the source of the failing part; -1 when unknown
	Raised  string // the author's message alone, when $error ended the evaluation; else empty
	Err     error  // the context's cause, or nil
}

func (e *EvalError) Error() string { return e.Message }
func (e *EvalError) Unwrap() error { return e.Err }

// ErrorCode returns Code.
func (e *EvalError) ErrorCode() string { return e.Code }
